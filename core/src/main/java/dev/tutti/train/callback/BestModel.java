package dev.tutti.train.callback;

import dev.tutti.train.EpochResult;
import java.nio.file.Path;
import java.util.Map;

/** Saves the model whenever a value is better than ever before. */
public final class BestModel implements Callback {
    private final Path folder;
    private final Improvement improvement;

    BestModel(Path folder, String metric) {
        this.folder = folder;
        improvement = new Improvement(metric);
    }

    @Override
    public void begin(Run run) {
        improvement.lookBack(run);
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        if (improvement.observe(run, result)) {
            run.saveModel(folder);
        }
    }

    @Override
    public String name() {
        return "bestModel." + improvement.metric();
    }

    @Override
    public Map<String, Double> state() {
        return Map.of("best", improvement.best());
    }

    @Override
    public void restore(Map<String, Double> state) {
        improvement.restore(state.get("best"));
    }
}
