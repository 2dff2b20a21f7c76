package dev.tutti.train;

import dev.tutti.DidYouMean;
import dev.tutti.metric.Metric;
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

    private boolean higherIsBetter(Recipe recipe) {
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

    /** Fails when there is no such metric. */
    void check(Run run) {
        higherIsBetter(run.recipe());
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
