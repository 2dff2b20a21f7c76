package dev.tutti.cluster.rpc;

import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;

/**
 * A request as it arrived: a message, or why it is none. Reading it never throws, since gRPC would log that as a fault of this program.
 *
 * @param message null if it could not be read
 * @param problem null if it could
 */
record Received<T>(T message, StatusRuntimeException problem) {
    /** Reads what a member sent as a message. */
    static <T> MethodDescriptor.Marshaller<Received<T>> by(MethodDescriptor.Marshaller<T> marshaller) {
        return new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(Received<T> value) {
                return marshaller.stream(value.message());
            }

            @Override
            public Received<T> parse(InputStream stream) {
                try {
                    T message = marshaller.parse(stream);
                    return message == null
                            ? new Received<>(
                                    null,
                                    Status.INVALID_ARGUMENT
                                            .withDescription("the message is null")
                                            .asRuntimeException())
                            : new Received<>(message, null);
                } catch (StatusRuntimeException e) {
                    return new Received<>(null, e);
                }
            }
        };
    }
}
