package dev.tutti.cluster.rpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Lets only calls through that carry the job's token. */
final class TokenCheck implements ServerInterceptor {
    private final byte[] token;

    TokenCheck(String token) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String shown = headers.get(CoordinatorProtocol.TOKEN);
        // In constant time: how long a comparison takes must not tell how much of a guess was right.
        if (shown == null || !MessageDigest.isEqual(token, shown.getBytes(StandardCharsets.UTF_8))) {
            call.close(
                    Status.UNAUTHENTICATED.withDescription(
                            shown == null ? "the call carries no token" : "the token is not that of this job"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return next.startCall(call, headers);
    }
}
