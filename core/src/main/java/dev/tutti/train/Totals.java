package dev.tutti.train;

import dev.tutti.array.NdArray;
import dev.tutti.metric.ExactSum;
import dev.tutti.metric.Metric;
import dev.tutti.metric.MetricState;
import dev.tutti.train.replica.PackedNumbers;
import dev.tutti.train.replica.StepResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Loss and metrics summed up over batches; merges and resumes exactly. */
public final class Totals {
    private final List<Metric> metrics;
    private final List<MetricState> states = new ArrayList<>();
    private ExactSum loss = new ExactSum();
    private long samples;

    public Totals(List<Metric> metrics) {
        this.metrics = metrics;
        metrics.forEach(metric -> states.add(metric.newState()));
    }

    /** Adds what was measured on a batch. */
    public void add(StepResult result, List<NdArray> labels) {
        addLoss(result.loss(), result.size());
        addMetrics(result, labels);
    }

    void addLoss(double mean, long count) {
        loss.add(mean * count);
        samples += count;
    }

    public void addMetrics(StepResult result, List<NdArray> labels) {
        for (int i = 0; i < states.size(); i++) {
            int output = metrics.get(i).output();
            states.get(i).update(result.outputs().get(output), labels.get(output));
        }
    }

    /** The metrics alone, as numbers to be sent to others. */
    public long[] metricNumbers() {
        return PackedNumbers.pack(
                states.stream().map(state -> state.snapshot().longs()).toArray(long[][]::new));
    }

    /** Adds metrics that another member has sent. */
    public void addMetrics(long[] numbers) {
        PackedNumbers rows = PackedNumbers.reader(numbers);
        for (int i = 0; i < states.size(); i++) {
            MetricState theirs = metrics.get(i).newState();
            long[] row = rows.next();
            theirs.restore(NdArray.of(row, row.length));
            states.get(i).merge(theirs);
        }
    }

    /** Adds all that another one has summed, exactly. */
    public void merge(Totals other) {
        loss.add(other.loss);
        samples += other.samples;
        mergeMetrics(other);
    }

    public void mergeMetrics(Totals other) {
        for (int i = 0; i < states.size(); i++) {
            states.get(i).merge(other.states.get(i));
        }
    }

    /** How many samples were looked at. */
    public long samples() {
        return samples;
    }

    /** Loss and metrics over all that was added. */
    public Evaluation value() {
        Map<String, Double> values = new LinkedHashMap<>();
        for (int i = 0; i < metrics.size(); i++) {
            values.put(metrics.get(i).name(), states.get(i).value());
        }
        return new Evaluation(samples == 0 ? Double.NaN : loss.value() / samples, values, samples);
    }

    /** Everything summed so far, by name. */
    public Map<String, NdArray> snapshot() {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        arrays.put("loss", NdArray.of(loss.toLongs(), ExactSum.LONGS));
        arrays.put("samples", NdArray.of(new long[] {samples}, 1));
        for (int i = 0; i < metrics.size(); i++) {
            arrays.put("metric." + i, states.get(i).snapshot());
        }
        return arrays;
    }

    /** Makes these the sums that another one gave as its {@link #snapshot}. */
    public void restore(Map<String, NdArray> arrays) {
        loss = ExactSum.fromLongs(arrays.get("loss").longs(), 0);
        samples = arrays.get("samples").longs()[0];
        for (int i = 0; i < metrics.size(); i++) {
            states.get(i).restore(arrays.get("metric." + i));
        }
    }
}
