package dev.tutti.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.nn.ComputePrecision;
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
 * @param precision what layers multiply in; float32 where a file of an earlier version does not say
 */
public record TrainingConfig(
        Optimizer optimizer,
        Loss loss,
        List<Metric> metrics,
        double movingAverage,
        long seed,

        @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = ComputePrecision.LeftOut.class)
        ComputePrecision precision) {
    public TrainingConfig {
        Objects.requireNonNull(optimizer, "training needs an optimizer");
        Objects.requireNonNull(loss, "training needs a loss");
        metrics = List.copyOf(metrics);
        precision = precision == null ? ComputePrecision.FLOAT32 : precision;
    }

    /** In float32. */
    public TrainingConfig(Optimizer optimizer, Loss loss, List<Metric> metrics, double movingAverage, long seed) {
        this(optimizer, loss, metrics, movingAverage, seed, ComputePrecision.FLOAT32);
    }

    /** Without metrics and moving average, with the seed 0. */
    public static TrainingConfig of(Optimizer optimizer, Loss loss) {
        return new TrainingConfig(optimizer, loss, List.of(), 0, 0);
    }

    public TrainingConfig metrics(List<Metric> choice) {
        return new TrainingConfig(optimizer, loss, choice, movingAverage, seed, precision);
    }

    public TrainingConfig movingAverage(double decay) {
        return new TrainingConfig(optimizer, loss, metrics, decay, seed, precision);
    }

    public TrainingConfig seed(long value) {
        return new TrainingConfig(optimizer, loss, metrics, movingAverage, value, precision);
    }

    public TrainingConfig precision(ComputePrecision choice) {
        return new TrainingConfig(optimizer, loss, metrics, movingAverage, seed, choice);
    }
}
