package dev.tutti.cluster.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.tutti.json.Json;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Records as JSON in gRPC messages. */
final class JsonMarshaller<T> implements MethodDescriptor.Marshaller<T> {
    private final Class<T> type;
    private final ObjectWriter writer;
    private final ObjectReader reader;

    JsonMarshaller(Class<T> type) {
        this.type = type;
        this.writer = Json.json().writerFor(type).without(SerializationFeature.INDENT_OUTPUT);
        this.reader = Json.json().readerFor(type);
    }

    @Override
    public InputStream stream(T value) {
        try {
            return new ByteArrayInputStream(writer.writeValueAsBytes(value));
        } catch (IOException e) {
            throw new IllegalStateException(type.getSimpleName() + " cannot be written as JSON", e);
        }
    }

    private static String firstLine(IOException e) {
        String message = e instanceof JsonProcessingException json ? json.getOriginalMessage() : e.getMessage();
        return String.valueOf(message).lines().findFirst().orElse("");
    }

    @Override
    public T parse(InputStream stream) {
        try {
            return reader.readValue(stream);
        } catch (IOException e) {
            throw Status.INVALID_ARGUMENT
                    .withDescription("not a message of the kind " + type.getSimpleName() + ": " + firstLine(e))
                    .asRuntimeException();
        }
    }
}
