package dev.tutti.serve.route;

import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import dev.tutti.serve.protocol.JsonReply;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each request to the replica that will have answered it first. A replica that fails gets no more requests until a health check
 * succeeds. Predictions change nothing, so they are sent again elsewhere when a replica dies under them; other requests only if the
 * replica cannot have seen them.
 */
final class RequestRouter implements HttpService {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);
    private static final int MOST_ATTEMPTS = 4;
    private static final Set<String> NOT_FORWARDED = Set.of(
            "connection", "host", "transfer-encoding", "content-length", "keep-alive", "upgrade", "http2-settings");

    private final List<ServingReplica> replicas;
    private final Consumer<RequestHeaders> predictors;
    private final Consumer<RequestHeaders> administrators;

    RequestRouter(
            List<ServingReplica> replicas,
            Consumer<RequestHeaders> predictors,
            Consumer<RequestHeaders> administrators) {
        this.replicas = replicas;
        this.predictors = predictors;
        this.administrators = administrators;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
        boolean safe = isSafe(request.headers());
        try {
            (safe ? predictors : administrators).accept(request.headers());
        } catch (RuntimeException e) {
            return JsonReply.error(e);
        }
        return HttpResponse.of(request.aggregate()
                .thenCompose(whole -> send(forwarded(whole), safe, new HashSet<>(), 1))
                .thenApply(AggregatedHttpResponse::toHttpResponse)
                .exceptionally(JsonReply::error));
    }

    /** Whether a request may be sent twice: it reads, or predicts. */
    static boolean isSafe(RequestHeaders headers) {
        String path = headers.path().replaceFirst("\\?.*", "");
        if (headers.method() == HttpMethod.GET || headers.method() == HttpMethod.HEAD) {
            return true;
        }
        return headers.method() == HttpMethod.POST
                && (path.endsWith("/infer")
                        || path.endsWith("/predict")
                        || path.matches(".*:(predict|classify|regress)")
                        || path.startsWith("/inference.GRPCInferenceService/")
                        || path.startsWith("/tensorflow.serving.")
                        || path.equals("/v2/repository/index"));
    }

    private static AggregatedHttpRequest forwarded(AggregatedHttpRequest request) {
        RequestHeadersBuilder headers = RequestHeaders.builder(request.method(), request.path());
        request.headers().forEach((name, value) -> {
            String text = name.toString();
            if (!text.startsWith(":") && !NOT_FORWARDED.contains(text)) {
                headers.add(name, value);
            }
        });
        headers.remove(HttpHeaderNames.ORIGIN); // checked here, by the name this service has
        return AggregatedHttpRequest.of(headers.build(), request.content(), request.trailers());
    }

    /**
     * @param tried replicas that cannot be asked again; one that was only slow can, once it is well
     * @param attempt which one this is, from 1
     */
    private CompletionStage<AggregatedHttpResponse> send(
            AggregatedHttpRequest request, boolean safe, Set<ServingReplica> tried, int attempt) {
        Optional<ServingReplica> chosen = choose(tried);
        if (chosen.isEmpty()) {
            return CompletableFuture.failedFuture(new ServeException(
                    Reason.UNAVAILABLE,
                    tried.isEmpty()
                            ? "none of the " + replicas.size() + " replicas is well"
                            : "the request failed on all " + tried.size() + " replicas that were tried"));
        }
        ServingReplica replica = chosen.get();
        tried.add(replica);
        return replica.send(request, safe)
                .handle((response, failure) -> answered(request, safe, tried, attempt, replica, response, failure))
                .thenCompose(stage -> stage);
    }

    private CompletionStage<AggregatedHttpResponse> answered(
            AggregatedHttpRequest request,
            boolean safe,
            Set<ServingReplica> tried,
            int attempt,
            ServingReplica replica,
            AggregatedHttpResponse response,
            Throwable failure) {
        boolean another = attempt < MOST_ATTEMPTS && tried.size() < replicas.size();
        if (failure instanceof ServingReplica.SlowReplicaException slow) {
            if (another && choose(tried).isPresent()) {
                CompletionStage<AggregatedHttpResponse> elsewhere = send(request, safe, tried, attempt + 1);
                tried.remove(replica);
                return elsewhere;
            }
            return slow.lateAnswer() // there is no better place to wait
                    .handle((late, lost) -> answered(request, safe, tried, attempt, replica, late, lost))
                    .thenCompose(stage -> stage);
        }
        if (failure != null) {
            if (replica.health() == ServingReplica.Health.WELL) {
                LOG.warn(
                        "replica {} failed and gets no requests until it is well: {}",
                        replica.uri(),
                        failure.toString());
            }
            replica.eject();
            boolean unseen = failure instanceof UnprocessedRequestException
                    || failure.getCause() instanceof UnprocessedRequestException;
            if (another && (safe || unseen)) {
                return send(request, safe, tried, attempt + 1);
            }
            return CompletableFuture.failedFuture(new ServeException(
                    Reason.UNAVAILABLE, "the replica failed while it worked on the request", failure));
        }
        int code = response.status().code();
        boolean elsewhere = code == 429 || code == 503;
        return another && elsewhere && choose(tried).isPresent()
                ? send(request, safe, tried, attempt + 1)
                : CompletableFuture.completedFuture(response);
    }

    /** One that is well before one that is slow. */
    private Optional<ServingReplica> choose(Set<ServingReplica> tried) {
        return choose(tried, ServingReplica.Health.WELL).or(() -> choose(tried, ServingReplica.Health.SLOW));
    }

    private Optional<ServingReplica> choose(Set<ServingReplica> tried, ServingReplica.Health health) {
        return replicas.stream()
                .filter(replica -> replica.health() == health && !tried.contains(replica))
                .min(Comparator.comparingDouble(ServingReplica::cost));
    }
}
