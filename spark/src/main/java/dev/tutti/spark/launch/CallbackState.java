package dev.tutti.spark.launch;

import dev.tutti.train.callback.Callback;
import java.util.Map;

/** Stands for a callback of the driver in the checkpoints that a member writes: it has its name and what it remembers. */
final class CallbackState implements Callback {
    private final String name;
    private Map<String, Double> state = Map.of();
    private Map<String, Double> restored;

    CallbackState(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, Double> state() {
        return state;
    }

    @Override
    public void restore(Map<String, Double> saved) {
        state = saved;
        restored = saved;
    }

    void remember(Map<String, Double> now) {
        state = now;
    }

    /** What a checkpoint had; null if there was none. */
    Map<String, Double> restored() {
        return restored;
    }
}
