package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.grpc.protocol.ArmeriaStatusException;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.grpc.protocol.AbstractUnaryGrpcService;
import dev.tutti.serve.ServeException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The methods of one gRPC service, each of one message and one answer; failures become the status of the call. */
final class GrpcMethods {
    /** Answers a message; what it throws becomes the status of the call. */
    @FunctionalInterface
    interface Method {
        CompletionStage<byte[]> answer(ServiceRequestContext context, ProtoReader message);
    }

    private final String service;
    private final Consumer<RequestHeaders> access;
    private final Map<String, HttpService> methods = new LinkedHashMap<>();

    /**
     * @param service its full name, such as {@code inference.GRPCInferenceService}
     * @param access throws a ServeException if the caller may not call guarded methods
     */
    GrpcMethods(String service, Consumer<RequestHeaders> access) {
        this.service = service;
        this.access = access;
    }

    /** Adds a method for callers that may predict. */
    GrpcMethods guarded(String name, Method method) {
        return open(name, (context, message) -> {
            access.accept(context.request().headers());
            return method.answer(context, message);
        });
    }

    /** Adds a method that any client may call. */
    GrpcMethods open(String name, Method method) {
        methods.put("/" + service + "/" + name, new AbstractUnaryGrpcService() {
            @Override
            protected CompletionStage<byte[]> handleMessage(ServiceRequestContext context, byte[] message) {
                CompletableFuture<byte[]> answer = new CompletableFuture<>();
                try {
                    method.answer(context, new ProtoReader(ByteBuffer.wrap(message)))
                            .whenComplete((bytes, failure) -> {
                                if (failure == null) {
                                    answer.complete(bytes);
                                } else {
                                    answer.completeExceptionally(status(failure));
                                }
                            });
                } catch (RuntimeException e) {
                    answer.completeExceptionally(status(e));
                }
                return answer;
            }
        });
        return this;
    }

    private static ArmeriaStatusException status(Throwable failure) {
        ServeException known = Failures.serveException(failure);
        return new ArmeriaStatusException(known.reason().grpc(), known.getMessage());
    }

    /** An answer that is there already. */
    static CompletionStage<byte[]> done(ProtoWriter message) {
        return CompletableFuture.completedFuture(message.toBytes());
    }

    /** The methods by their paths. */
    Map<String, HttpService> byPath() {
        return methods;
    }
}
