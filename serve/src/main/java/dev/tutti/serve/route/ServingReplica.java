package dev.tutti.serve.route;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A serving process that a router sends requests to: how much it has to do, how fast it is, whether it is well. */
final class ServingReplica {
    /** Where a replica is in its life behind the router. */
    enum Health {
        /** Nothing was heard of it yet. */
        UNKNOWN,
        WELL,
        /** It answers its health checks late, or requests much later than the others: it gets requests only if no other one is well. */
        SLOW,
        /** It failed and gets no requests until a health check succeeds. */
        EJECTED,
        /** It is being taken out: it finishes what it has. */
        DRAINING
    }

    /** A replica was found slow while it worked on a request that may be sent elsewhere. */
    static final class SlowReplicaException extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient CompletableFuture<AggregatedHttpResponse> late;

        SlowReplicaException(URI uri, CompletableFuture<AggregatedHttpResponse> late) {
            super("replica " + uri + " does not answer in time", null, false, false);
            this.late = late;
        }

        /** What the slow replica answers in the end. */
        CompletableFuture<AggregatedHttpResponse> lateAnswer() {
            return late;
        }
    }

    private static final double SMOOTHING = 0.1;
    private static final double FIRST_SECONDS = 0.005;

    /** A health check that takes longer makes a replica slow. */
    private static final long CHECK_LIMIT_MILLIS = 2_000;

    /** A replica is slow that takes so many times as long as the others ... */
    private static final double SLOWER = 5;

    /** ... and longer than this, after so many answers. */
    private static final double SLOW_SECONDS = 0.02;

    private static final int JUDGED_ANSWERS = 10;

    /** How long one that was slow gets no requests before it is tried again. */
    private static final long REST_NANOS = Duration.ofSeconds(5).toNanos();

    private final URI uri;
    private final WebClient client;
    private final AtomicInteger outstanding = new AtomicInteger();
    /** What callers wait for, for requests that may be sent elsewhere, with the answers of this replica itself. */
    private final Map<CompletableFuture<AggregatedHttpResponse>, CompletableFuture<AggregatedHttpResponse>> repeatable =
            new ConcurrentHashMap<>();

    private final AtomicBoolean checking = new AtomicBoolean();
    private volatile double seconds = FIRST_SECONDS;
    private volatile Health health = Health.UNKNOWN;
    private int answers; // since it was let in; guarded by this
    private long restsUntil = System.nanoTime(); // guarded by this

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

    /** It failed under a request. */
    synchronized void eject() {
        if (health != Health.DRAINING) {
            health = Health.EJECTED;
        }
    }

    /** Gets no more requests. */
    synchronized void drain() {
        health = Health.DRAINING;
    }

    /** Gets requests again, once a health check succeeds. */
    synchronized void restore() {
        if (health == Health.DRAINING) {
            health = Health.UNKNOWN;
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

    /**
     * Sends a request.
     *
     * @param safe whether it may be sent elsewhere too: it fails with {@link SlowReplicaException} when this replica is found slow
     */
    CompletableFuture<AggregatedHttpResponse> send(AggregatedHttpRequest request, boolean safe) {
        outstanding.incrementAndGet();
        long began = System.nanoTime();
        CompletableFuture<AggregatedHttpResponse> answer = new CompletableFuture<>();
        CompletableFuture<AggregatedHttpResponse> own = new CompletableFuture<>();
        if (safe) {
            repeatable.put(answer, own);
        }
        var unused = client.execute(request).aggregate().whenComplete((response, failure) -> {
            int beside = outstanding.decrementAndGet();
            repeatable.remove(answer);
            if (failure == null) {
                noted((System.nanoTime() - began) / 1e9 / (beside + 1)); // its part of the time
                own.complete(response);
                answer.complete(response);
            } else {
                own.completeExceptionally(failure);
                answer.completeExceptionally(failure);
            }
        });
        return answer;
    }

    private synchronized void noted(double own) {
        seconds += SMOOTHING * (own - seconds);
        answers++;
    }

    /** Asks for its health, unless an answer is still waited for; one that is late makes it slow. */
    void check(List<ServingReplica> all) {
        if (!checking.compareAndSet(false, true)) {
            return;
        }
        var unused = client.get("/v2/health/ready")
                .aggregate()
                .handle((response, failure) ->
                        failure == null && response.status().code() == 200)
                .orTimeout(CHECK_LIMIT_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((ready, late) -> {
                    checking.set(false);
                    checked(late != null, late == null && ready, all);
                });
    }

    private void checked(boolean late, boolean ready, List<ServingReplica> all) {
        if (late) {
            slow(all);
            return;
        }
        synchronized (this) {
            if (health == Health.DRAINING || health == Health.SLOW && ready && System.nanoTime() - restsUntil < 0) {
                return;
            }
            if (ready && health != Health.WELL) {
                answers = 0;
                seconds = FIRST_SECONDS;
            }
            health = ready ? Health.WELL : Health.EJECTED;
        }
    }

    /** Gives its requests that may be sent elsewhere to the others, if one of them is well. */
    private void slow(List<ServingReplica> all) {
        synchronized (this) {
            if (health == Health.DRAINING) {
                return;
            }
            health = Health.SLOW;
            restsUntil = System.nanoTime() + REST_NANOS;
        }
        if (others(all).findAny().isPresent()) {
            repeatable.forEach((answer, own) -> answer.completeExceptionally(new SlowReplicaException(uri, own)));
        }
    }

    /** Compares it with the other replicas that are well; true if it was found slow now. */
    boolean judge(List<ServingReplica> all) {
        double[] paces =
                others(all).mapToDouble(ServingReplica::seconds).sorted().toArray();
        synchronized (this) {
            boolean slow = health == Health.WELL
                    && paces.length > 0
                    && answers >= JUDGED_ANSWERS
                    && seconds > SLOW_SECONDS
                    && seconds > SLOWER * paces[paces.length / 2];
            if (!slow) {
                return false;
            }
        }
        slow(all);
        return true;
    }

    private Stream<ServingReplica> others(List<ServingReplica> all) {
        return all.stream().filter(other -> other != this && other.health == Health.WELL);
    }
}
