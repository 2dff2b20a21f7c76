package dev.tutti.serve.model;

import dev.tutti.TuttiException;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.serve.batch.BatchingSettings;
import dev.tutti.tensor.Engine;
import java.time.Duration;
import java.util.Optional;

/**
 * How models of a repository are served.
 *
 * @param replicas models that compute side by side and share their parameters; one for each core by default
 * @param threads cores that one replica uses; 1 by default
 * @param keptVersions the newest versions that stay in memory beside labelled ones; 2 by default, so that a step back is instant
 * @param poll how often the repository is looked at; every second by default
 * @param precision what products are computed in
 * @param drain how long a version that is taken out of service waits for its last answers; 30 s by default
 * @param loader where models compute; empty by default, for replicas in this process
 */
public record ServingSettings(
        BatchingSettings batching,
        int replicas,
        int threads,
        int keptVersions,
        Duration poll,
        Duration drain,
        ComputePrecision precision,
        Optional<ModelLoader> loader) {
    public ServingSettings {
        if (replicas < 1 || threads < 1 || keptVersions < 1) {
            throw new TuttiException("expected 1 or more replicas, threads and kept versions, received " + replicas
                    + ", " + threads + " and " + keptVersions);
        }
    }

    public static ServingSettings standard() {
        return new ServingSettings(
                BatchingSettings.DEFAULT,
                Engine.cores(),
                1,
                2,
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                ComputePrecision.FLOAT32,
                Optional.empty());
    }

    public ServingSettings batching(BatchingSettings settings) {
        return new ServingSettings(settings, replicas, threads, keptVersions, poll, drain, precision, loader);
    }

    public ServingSettings replicas(int count) {
        return new ServingSettings(batching, count, threads, keptVersions, poll, drain, precision, loader);
    }

    public ServingSettings threads(int count) {
        return new ServingSettings(batching, replicas, count, keptVersions, poll, drain, precision, loader);
    }

    public ServingSettings poll(Duration interval) {
        return new ServingSettings(batching, replicas, threads, keptVersions, interval, drain, precision, loader);
    }

    /** Computes products in another format, such as bf16. */
    public ServingSettings precision(ComputePrecision choice) {
        return new ServingSettings(batching, replicas, threads, keptVersions, poll, drain, choice, loader);
    }

    /** Lets models compute elsewhere than in replicas of this process. */
    public ServingSettings loader(ModelLoader place) {
        return new ServingSettings(
                batching, replicas, threads, keptVersions, poll, drain, precision, Optional.of(place));
    }
}
