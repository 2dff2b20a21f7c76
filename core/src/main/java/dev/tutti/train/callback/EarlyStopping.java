package dev.tutti.train.callback;

import dev.tutti.train.EpochResult;
import dev.tutti.train.TrainingException;
import java.util.Locale;
import java.util.Map;

/** Stops when a value has not improved for some epochs. */
public final class EarlyStopping implements Callback {
    private final Improvement improvement;
    private final int patience;
    private int waited;

    EarlyStopping(String metric, int patience) {
        if (patience < 1) {
            throw new TrainingException("early stopping needs a patience of at least 1 epoch, received " + patience);
        }
        improvement = new Improvement(metric);
        this.patience = patience;
    }

    @Override
    public void begin(Run run) {
        waited += improvement.lookBack(run);
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        waited = improvement.observe(run, result) ? 0 : waited + 1;
        if (waited >= patience) {
            run.stop(String.format(
                    Locale.ROOT,
                    "%s has not improved for %d epochs; its best was %.4f",
                    improvement.metric(),
                    waited,
                    improvement.best()));
        }
    }

    @Override
    public String name() {
        return "earlyStopping." + improvement.metric();
    }

    @Override
    public Map<String, Double> state() {
        return Map.of("best", improvement.best(), "waited", (double) waited);
    }

    @Override
    public void restore(Map<String, Double> state) {
        improvement.restore(state.get("best"));
        waited = state.get("waited").intValue();
    }
}
