package dev.tutti.serve.protocol;

import dev.tutti.array.NdArray;
import dev.tutti.serve.metrics.ServingMetrics;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.model.VersionLease;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Answers requests of all protocols: chooses a version, reads the rows for it, has them computed, counts the answer. */
public final class InferenceService {
    /** Reads the inputs of a request, once it is known which version answers. */
    @FunctionalInterface
    interface RowSource {
        List<NdArray> read(ModelVersion version) throws IOException;
    }

    private final ModelRegistry registry;
    private final ServingMetrics metrics;

    public InferenceService(ModelRegistry registry, ServingMetrics metrics) {
        this.registry = registry;
        this.metrics = metrics;
    }

    public ModelRegistry registry() {
        return registry;
    }

    public ServingMetrics metrics() {
        return metrics;
    }

    /**
     * Answers a request.
     *
     * @param limit the time it has, at most the service's own
     * @return the answer; fails with a ServeException that says why there is none. Cancelling it drops the request.
     */
    CompletableFuture<InferenceAnswer> infer(
            String model, VersionChoice choice, String protocol, Duration limit, RowSource rows) {
        long began = System.nanoTime();
        VersionLease lease;
        try {
            lease = registry.model(model).lease(choice);
        } catch (RuntimeException e) {
            return failed(e, "", protocol);
        }
        try {
            ModelVersion version = lease.version();
            Duration most = registry.settings().batching().deadline();
            CompletableFuture<List<NdArray>> outputs =
                    version.infer(rows.read(version), limit.compareTo(most) < 0 ? limit : most);
            var unusedRelease = outputs.whenComplete((arrays, failure) -> lease.close());
            CompletableFuture<InferenceAnswer> answer = outputs.handle((arrays, failure) -> {
                if (failure != null) {
                    throw Failures.serveException(failure);
                }
                metrics.answered(model, version.number(), protocol, (System.nanoTime() - began) / 1e9);
                return new InferenceAnswer(version, version.namedRows().answers(arrays, version.classes()));
            });
            var unusedCount = answer.whenComplete((done, failure) -> {
                if (failure != null) {
                    outputs.cancel(false); // the client has gone, or nothing is left to cancel
                    metrics.refused(
                            model,
                            protocol,
                            Failures.serveException(failure).reason().http());
                }
            });
            return answer;
        } catch (IOException | RuntimeException | Error e) {
            lease.close();
            return failed(e, model, protocol);
        }
    }

    private CompletableFuture<InferenceAnswer> failed(Throwable e, String model, String protocol) {
        var failure = Failures.serveException(e);
        metrics.refused(model, protocol, failure.reason().http());
        return CompletableFuture.failedFuture(failure);
    }

    Duration deadline() {
        return registry.settings().batching().deadline();
    }
}
