package dev.tutti.metric;

import dev.tutti.array.NdArray;
import java.util.function.ToLongFunction;

/** The share of rows that are hits; the metric defines a hit. */
final class HitState extends NamedState {
    private final ToLongFunction<ClassBatch> hitsOf;
    private long hits;
    private long rows;

    HitState(String metric, ToLongFunction<ClassBatch> hitsOf) {
        super(metric);
        this.hitsOf = hitsOf;
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        ClassBatch batch = ClassBatch.of(metric(), predictions, targets);
        hits += hitsOf.applyAsLong(batch);
        rows += batch.rows();
    }

    @Override
    public void merge(MetricState other) {
        HitState state = same(other, HitState.class);
        hits += state.hits;
        rows += state.rows;
    }

    @Override
    public double value() {
        return rows == 0 ? Double.NaN : (double) hits / rows;
    }

    @Override
    public NdArray snapshot() {
        return row(hits, rows);
    }

    @Override
    public void restore(NdArray snapshot) {
        long[] longs = longs(snapshot, 2);
        hits = longs[0];
        rows = longs[1];
    }
}
