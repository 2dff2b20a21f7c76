package dev.tutti.serve.route;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A serving process that a router sends requests to: how much it has to do, how fast it is, whether it is well. */
final class ServingReplica {
    /** Where a replica is in its life behind the router. */
    enum Health {
        /** Nothing was heard of it yet. */
        UNKNOWN,
        WELL,
        /** It failed and gets no requests until a health check succeeds. */
        EJECTED,
        /** It is being taken out: it finishes what it has. */
        DRAINING
    }

    private static final double SMOOTHING = 0.1;
    private static final double FIRST_SECONDS = 0.005;

    private final URI uri;
    private final WebClient client;
    private final AtomicInteger outstanding = new AtomicInteger();
    private volatile double seconds = FIRST_SECONDS;
    private volatile Health health = Health.UNKNOWN;

    ServingReplica(URI uri, Duration limit, long maxBytes) {
        this.uri = uri;
        this.client = WebClient.builder(uri)
                .responseTimeout(limit)
                .maxResponseLength(maxBytes)
                .build();
    }

    URI uri() {
        return uri;
    }

    Health health() {
        return health;
    }

    void health(Health now) {
        if (health != Health.DRAINING) {
            health = now;
        }
    }

    int outstanding() {
        return outstanding.get();
    }

    /** The time that one more request can be expected to take: what waits, times the pace. */
    double cost() {
        return (outstanding.get() + 1) * seconds;
    }

    double seconds() {
        return seconds;
    }

    CompletableFuture<AggregatedHttpResponse> send(AggregatedHttpRequest request) {
        outstanding.incrementAndGet();
        long began = System.nanoTime();
        return client.execute(request).aggregate().whenComplete((response, failure) -> {
            int beside = outstanding.decrementAndGet();
            if (failure == null) {
                double own = (System.nanoTime() - began) / 1e9 / (beside + 1); // its part of the time
                noted(own);
            }
        });
    }

    private synchronized void noted(double own) {
        seconds += SMOOTHING * (own - seconds);
    }

    CompletableFuture<Boolean> isReady() {
        return client.get("/v2/health/ready")
                .aggregate()
                .handle((response, failure) ->
                        failure == null && response.status().code() == 200);
    }
}
