package dev.tutti.train;

import dev.tutti.comm.Collectives;
import dev.tutti.data.Batch;
import dev.tutti.metric.Metric;
import java.util.List;

/** What has been computed and the members have not agreed on yet: it counts when they have, or is done again. */
final class PendingResults implements Findings {
    private final List<Metric> metrics;
    private Totals measured;
    private long samples;
    private int steps;

    PendingResults(List<Metric> metrics) {
        this.metrics = metrics;
        forget();
    }

    void add(StepResult result, Batch batch) {
        measured.addMetrics(result, batch.labels());
        samples += result.size();
    }

    void stepDone() {
        steps++;
    }

    /** Updates since the last agreement. */
    int steps() {
        return steps;
    }

    /** Samples of this member. */
    long samples() {
        return samples;
    }

    @Override
    public void gather(Collectives collectives) {
        if (metrics.isEmpty() || collectives.group().size() == 1) {
            return;
        }
        Totals all = new Totals(metrics);
        new Gathering(collectives).numbers("metrics", measured.metricNumbers()).forEach(all::addMetrics);
        measured = all;
    }

    /** It was agreed on. */
    void countInto(Totals totals) {
        totals.mergeMetrics(measured);
        forget();
    }

    void forget() {
        measured = new Totals(metrics);
        samples = 0;
        steps = 0;
    }
}
