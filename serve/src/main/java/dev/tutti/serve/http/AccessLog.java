package dev.tutti.serve.http;

import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.logging.AccessLogWriter;
import dev.tutti.serve.protocol.JsonReply;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Writes one JSON object for each request: when, who, what, status, seconds, bytes. Bodies and keys are not logged. */
final class AccessLog implements AccessLogWriter {
    /** The name of the caller's key. */
    static final AttributeKey<String> CALLER = AttributeKey.valueOf(AccessLog.class, "CALLER");

    private static final int LONGEST_PATH = 200;

    private final Consumer<String> lines;

    AccessLog(Consumer<String> lines) {
        this.lines = lines;
    }

    @Override
    public void log(RequestLog log) {
        ServiceRequestContext context = (ServiceRequestContext) log.context();
        String path = log.requestHeaders().path();
        byte[] line = JsonReply.bytes(out -> {
            out.writeStartObject();
            out.writeStringField(
                    "time", Instant.ofEpochMilli(log.requestStartTimeMillis()).toString());
            out.writeStringField("client", context.clientAddress().getHostAddress());
            String caller = context.attr(CALLER);
            if (caller != null) {
                out.writeStringField("key", caller);
            }
            out.writeStringField("method", log.requestHeaders().method().name());
            out.writeStringField("path", path.length() > LONGEST_PATH ? path.substring(0, LONGEST_PATH) : path);
            out.writeNumberField("status", log.responseHeaders().status().code());
            out.writeNumberField("seconds", log.totalDurationNanos() / 1e9);
            out.writeNumberField("requestBytes", log.requestLength());
            out.writeNumberField("responseBytes", log.responseLength());
            out.writeEndObject();
        });
        lines.accept(new String(line, StandardCharsets.UTF_8));
    }

    @Override
    public CompletableFuture<Void> shutdown() {
        return CompletableFuture.completedFuture(null);
    }
}
