package dev.tutti.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is predicted for a job.
 *
 * @param memoryBytes of a node; infinite where nothing was said
 * @param runs by number of nodes, then by strategy
 * @param recommended empty where nothing fits
 */
public record JobPlan(
        JobProfile profile,
        NetworkSpec network,
        double memoryBytes,
        boolean batchScaled,
        List<RunEstimate> runs,
        Optional<Recommendation> recommended) {
    public JobPlan {
        runs = List.copyOf(runs);
    }

    /** The runs on so many nodes, the fastest first. */
    public List<RunEstimate> on(int nodes) {
        return runs.stream()
                .filter(run -> run.nodes() == nodes)
                .sorted(Comparator.comparingDouble(RunEstimate::samplesPerSecond)
                        .reversed())
                .toList();
    }
}
