package dev.tutti.bench.allreduce;

import dev.tutti.cluster.Cluster;
import dev.tutti.strategy.Strategies;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.replica.Strategy;
import java.time.Duration;

/**
 * Where and how a benchmark trains: {@code here}, {@code threads:2}, {@code processes:2}, {@code pipeline:2} or {@code tensor:2}.
 *
 * @param workers how many, each with a core's worth of work
 */
record BenchSetup(int workers, Launcher place, Strategy strategy) {
    private static final int MICRO_BATCHES = 32;

    /** Workers also wait for each other while no measurement runs. */
    private static final Duration WAIT = Duration.ofMinutes(10);

    static BenchSetup parse(String text) {
        String[] words = text.split(":");
        int workers = words.length == 2 ? Integer.parseInt(words[1]) : 1;
        return switch (words[0]) {
            case "here" -> new BenchSetup(1, Launcher.here(), Strategy.local());
            case "pipeline" ->
                new BenchSetup(
                        1,
                        processes(workers),
                        Strategies.parallel().pipeline(workers).microBatches(MICRO_BATCHES));
            case "tensor" ->
                new BenchSetup(1, processes(workers), Strategies.parallel().tensor(workers));
            case "threads" -> new BenchSetup(workers, Launcher.threads(workers), Strategies.allReduce());
            case "processes" -> new BenchSetup(workers, processes(workers), Strategies.allReduce());
            default ->
                throw new IllegalArgumentException(
                        "Expected here, threads:N, processes:N, pipeline:N or tensor:N, received '" + text + "'.");
        };
    }

    /** All members are required: otherwise the remaining ones would be measured as if all were there. */
    private static Launcher processes(int workers) {
        return Cluster.processes(workers)
                .min(workers)
                .restarts(0)
                .tooFewFor(Duration.ofSeconds(1))
                .deadline(WAIT);
    }

    Fit fit() {
        return Fit.epochs(1).on(place).with(strategy);
    }
}
