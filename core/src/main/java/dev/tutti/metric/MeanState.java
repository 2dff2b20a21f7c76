package dev.tutti.metric;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;

/** The state of a {@link MeanMetric}: the exact mean of the values of all batches. */
final class MeanState extends NamedState {
    private final MeanMetric definition;
    private Mean mean = new Mean();

    MeanState(MeanMetric definition) {
        super(definition.name());
        this.definition = definition;
    }

    /** A batch is measured apart and then added, so that a batch that fails leaves no values behind. */
    @Override
    public void update(NdArray predictions, NdArray targets) {
        checkRows(predictions.shape(), targets.shape());
        Mean batch = new Mean();
        definition.measure(predictions, targets, batch);
        mean.add(batch);
    }

    private void checkRows(Shape predictions, Shape targets) {
        if (predictions.rank() == 0 || targets.rank() == 0 || predictions.dim(0) != targets.dim(0)) {
            throw new MetricException(
                    metric(),
                    "predictions and targets have the same number of rows: received " + predictions + " and "
                            + targets);
        }
    }

    @Override
    public void merge(MetricState other) {
        mean.add(same(other, MeanState.class).mean);
    }

    @Override
    public double value() {
        return mean.value();
    }

    @Override
    public NdArray snapshot() {
        return row(mean.toLongs());
    }

    @Override
    public void restore(NdArray snapshot) {
        mean = Mean.fromLongs(longs(snapshot, Mean.LONGS), 0);
    }
}
