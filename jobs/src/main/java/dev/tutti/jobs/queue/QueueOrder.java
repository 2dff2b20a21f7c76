package dev.tutti.jobs.queue;

import dev.tutti.jobs.JobRecord;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The order in which waiting jobs are started: priority first, then users that have used least, then submission. A job that does not
 * fit is waited for: later ones do not overtake it, so large jobs do not starve.
 */
final class QueueOrder {
    private QueueOrder() {}

    static List<JobRecord> of(List<JobRecord> waiting, Map<String, Double> usedCoreSeconds) {
        return waiting.stream()
                .sorted(Comparator.comparingInt((JobRecord job) -> -job.priority())
                        .thenComparingDouble(job -> usedCoreSeconds.getOrDefault(job.user(), 0.0))
                        .thenComparing(JobRecord::submitted)
                        .thenComparing(JobRecord::id))
                .toList();
    }
}
