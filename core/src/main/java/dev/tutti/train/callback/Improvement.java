package dev.tutti.train.callback;

import dev.tutti.DidYouMean;
import dev.tutti.metric.Metric;
import dev.tutti.train.EpochResult;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import java.util.ArrayList;
import java.util.List;

/** Follows one value over the epochs and knows whether it has become better. */
final class Improvement {
    private final String metric;
    private double best = Double.NaN;

    Improvement(String metric) {
        this.metric = metric;
    }

    /** True when the value is better than all before. */
    boolean observe(Run run, EpochResult result) {
        double value = result.monitored(metric);
        boolean higher = higherIsBetter(run.recipe());
        boolean better = Double.isNaN(best) ? !Double.isNaN(value) : higher ? value > best : value < best;
        if (better) {
            best = value;
        }
        return better;
    }

    private boolean higherIsBetter(TrainingConfig recipe) {
        if (metric.equals("loss")) {
            return false;
        }
        return recipe.metrics().stream()
                .filter(m -> m.name().equals(metric))
                .findFirst()
                .orElseThrow(() -> {
                    List<String> known = new ArrayList<>(
                            recipe.metrics().stream().map(Metric::name).toList());
                    known.add("loss");
                    return new TrainingException(
                            "there is no metric '" + metric + "' to follow" + DidYouMean.hint(metric, known));
                })
                .higherIsBetter();
    }

    /**
     * Looks back on the epochs that are done, unless it was restored: who takes over from a chief that was lost has not seen them.
     * Fails when there is no such metric.
     *
     * @return how many epochs there were since the best one
     */
    int lookBack(Run run) {
        higherIsBetter(run.recipe());
        int since = 0;
        if (Double.isNaN(best)) {
            for (EpochResult result : run.finished()) {
                since = observe(run, result) ? 0 : since + 1;
            }
        }
        return since;
    }

    double best() {
        return best;
    }

    void restore(double value) {
        best = value;
    }

    String metric() {
        return metric;
    }
}
