package dev.tutti.federated.aggregate;

import java.util.Map;

/** Remembers nothing from round to round. */
abstract class StatelessAggregator implements Aggregator {
    private float[] model;

    @Override
    public final void begin(float[] current) {
        model = current;
        clear();
    }

    abstract void clear();

    final float[] model() {
        return model;
    }

    /** The model moved by a mean of updates. */
    final float[] moved(WeightedSum sum) {
        sum.requireSome();
        float[] next = new float[model.length];
        for (int i = 0; i < next.length; i++) {
            next[i] = (float) (model[i] + sum.mean(i));
        }
        return next;
    }

    @Override
    public final Map<String, float[]> state() {
        return Map.of();
    }

    @Override
    public final void restore(Map<String, float[]> state) {}
}
