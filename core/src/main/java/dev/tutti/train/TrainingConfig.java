package dev.tutti.train;

import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.optim.Optimizer;
import java.util.List;
import java.util.Objects;

/**
 * What is learned and how: the one value that travels from a trainer or a job to every member, into checkpoints and saved models.
 *
 * <p>How long and where training runs is in {@link Fit}.
 *
 * @param optimizer how parameters follow their gradients
 * @param loss what is made small
 * @param metrics what is measured beside the loss, on the first output
 * @param movingAverage decay of the moving average of the weights that is evaluated and saved; 0 for none
 * @param seed what all that is random follows from
 */
public record TrainingConfig(Optimizer optimizer, Loss loss, List<Metric> metrics, double movingAverage, long seed) {
    public TrainingConfig {
        Objects.requireNonNull(optimizer, "training needs an optimizer");
        Objects.requireNonNull(loss, "training needs a loss");
        metrics = List.copyOf(metrics);
    }

    /** Without metrics and moving average, with the seed 0. */
    public static TrainingConfig of(Optimizer optimizer, Loss loss) {
        return new TrainingConfig(optimizer, loss, List.of(), 0, 0);
    }

    public TrainingConfig metrics(List<Metric> choice) {
        return new TrainingConfig(optimizer, loss, choice, movingAverage, seed);
    }

    public TrainingConfig movingAverage(double decay) {
        return new TrainingConfig(optimizer, loss, metrics, decay, seed);
    }

    public TrainingConfig seed(long value) {
        return new TrainingConfig(optimizer, loss, metrics, movingAverage, value);
    }
}
