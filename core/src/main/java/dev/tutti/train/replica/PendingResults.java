package dev.tutti.train.replica;

import dev.tutti.data.Batch;
import dev.tutti.metric.Metric;
import dev.tutti.train.Totals;
import java.util.List;

/** What has been computed and the members have not agreed on yet: it counts when they have, or is done again. */
public final class PendingResults implements PendingMetrics {
    private final List<Metric> metrics;
    private Totals measured;
    private long samples;
    private int steps;

    public PendingResults(List<Metric> metrics) {
        this.metrics = metrics;
        forget();
    }

    public void add(StepResult result, Batch batch) {
        measured.addMetrics(result, batch.labels());
        samples += result.size();
    }

    public void stepDone() {
        steps++;
    }

    /** Updates since the last agreement. */
    public int steps() {
        return steps;
    }

    /** Samples of this member. */
    public long samples() {
        return samples;
    }

    @Override
    public void gather(Agreement agreement) {
        if (metrics.isEmpty() || agreement.members() == 1) {
            return;
        }
        Totals all = new Totals(metrics);
        agreement.numbers("metrics", measured.metricNumbers()).forEach(all::addMetrics);
        measured = all;
    }

    /** It was agreed on. */
    public void countInto(Totals totals) {
        totals.mergeMetrics(measured);
        forget();
    }

    public void forget() {
        measured = new Totals(metrics);
        samples = 0;
        steps = 0;
    }
}
