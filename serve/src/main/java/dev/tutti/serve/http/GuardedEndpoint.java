package dev.tutti.serve.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.serve.protocol.Endpoint;
import dev.tutti.serve.protocol.HttpCall;
import dev.tutti.serve.protocol.JsonReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs an endpoint for callers that may use it, once the body has arrived; every failure becomes a JSON error. */
final class GuardedEndpoint implements HttpService {
    /** Bodies above are read on another thread, so that small requests do not wait for large ones. */
    private static final int LARGE_BYTES = 64 << 10;

    private final Endpoint endpoint;
    private final Role role;
    private final ApiKeys keys;
    private final OriginCheck origins;

    GuardedEndpoint(Endpoint endpoint, Role role, ApiKeys keys, OriginCheck origins) {
        this.endpoint = endpoint;
        this.role = role;
        this.keys = keys;
        this.origins = origins;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
        ApiKey caller;
        try {
            origins.check(request.headers()); // before the body: a stranger cannot make the service keep one
            caller = keys.check(request.headers(), role);
            context.setAttr(AccessLog.CALLER, caller.name());
        } catch (RuntimeException e) {
            return JsonReply.error(e);
        }
        CompletableFuture<HttpResponse> response = request.aggregate()
                .thenCompose(whole -> whole.content().length() > LARGE_BYTES
                        ? CompletableFuture.supplyAsync(
                                        () -> run(context, whole, caller), context.blockingTaskExecutor())
                                .thenCompose(stage -> stage)
                        : run(context, whole, caller))
                .exceptionally(JsonReply::error);
        return HttpResponse.of(response);
    }

    private CompletionStage<HttpResponse> run(
            ServiceRequestContext context, AggregatedHttpRequest whole, ApiKey caller) {
        try {
            return endpoint.answer(new HttpCall(context, whole, caller.name(), caller.mayDo(Role.ADMIN)));
        } catch (Exception e) {
            return CompletableFuture.completedFuture(JsonReply.error(e));
        }
    }
}
