package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Makes HTTP responses of JSON. */
public final class JsonReply {
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();

    /** Writes one JSON value. */
    @FunctionalInterface
    public interface Content {
        void write(JsonGenerator out) throws IOException;
    }

    private JsonReply() {}

    /** The bytes of a JSON value. */
    public static byte[] bytes(Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator out = FACTORY.createGenerator(bytes, JsonEncoding.UTF8)) {
            content.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    public static HttpResponse ok(Content content) {
        return HttpResponse.of(HttpStatus.OK, MediaType.JSON, HttpData.wrap(bytes(content)));
    }

    /** A value that Jackson knows: maps, lists, numbers, texts. */
    public static HttpResponse ok(Object value) {
        return of(HttpStatus.OK, value);
    }

    public static HttpResponse of(HttpStatus status, Object value) {
        return HttpResponse.of(status, MediaType.JSON, HttpData.ofUtf8(Json.write(value)));
    }

    /** {@code {"error": ...}}, with Retry-After where trying again helps. */
    public static HttpResponse error(Throwable failure) {
        ServeException known = Failures.serveException(failure);
        ResponseHeadersBuilder headers = ResponseHeaders.builder(
                        HttpStatus.valueOf(known.reason().http()))
                .contentType(MediaType.JSON);
        if (known.retrySeconds() > 0) {
            headers.set(HttpHeaderNames.RETRY_AFTER, Long.toString((long) Math.ceil(known.retrySeconds())));
        }
        if (known.reason() == ServeException.Reason.UNAUTHENTICATED) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        return HttpResponse.of(headers.build(), HttpData.ofUtf8(Json.write(Map.of("error", known.getMessage()))));
    }
}
