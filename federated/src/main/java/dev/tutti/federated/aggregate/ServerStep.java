package dev.tutti.federated.aggregate;

import dev.tutti.TuttiException;
import dev.tutti.federated.ClientUpdate;
import java.util.LinkedHashMap;
import java.util.Map;

/** Takes the mean update of a round as a gradient: base of those with an optimizer at the server. */
abstract class ServerStep implements Aggregator {
    private final WeightedSum sum;
    private final Map<String, float[]> vectors = new LinkedHashMap<>();
    private float[] model;
    private long rounds;

    ServerStep(int size, String... vectors) {
        sum = new WeightedSum(size);
        for (String name : vectors) {
            this.vectors.put(name, new float[size]);
        }
    }

    final float[] vector(String name) {
        return vectors.get(name);
    }

    @Override
    public final void begin(float[] current) {
        model = current;
        sum.clear();
    }

    @Override
    public final void add(ClientUpdate update) {
        sum.add(update.delta(), update.samples());
    }

    @Override
    public final float[] finish() {
        sum.requireSome();
        rounds++;
        prepare(rounds);
        float[] next = new float[model.length];
        for (int i = 0; i < next.length; i++) {
            next[i] = (float) (model[i] + step(i, sum.mean(i)));
        }
        return next;
    }

    /** Called once before the steps of a round, which are counted from 1. */
    void prepare(long round) {}

    /** How far a value moves, given the mean of the updates at its place. */
    abstract double step(int i, double delta);

    @Override
    public final Map<String, float[]> state() {
        Map<String, float[]> state = new LinkedHashMap<>(vectors);
        state.put("rounds", new float[] {rounds});
        return state;
    }

    @Override
    public final void restore(Map<String, float[]> state) {
        vectors.forEach((name, vector) -> {
            float[] saved = state.get(name);
            if (saved == null || saved.length != vector.length) {
                throw new TuttiException("the saved state has no vector '" + name + "' of " + vector.length
                        + " values: it holds " + state.keySet() + ", of another aggregation?");
            }
            System.arraycopy(saved, 0, vector, 0, vector.length);
        });
        rounds = (long) state.get("rounds")[0];
    }
}
