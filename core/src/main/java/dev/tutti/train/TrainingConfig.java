package dev.tutti.train;

import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.optim.Optimizer;
import java.util.List;

/**
 * What is learned and how, whoever does the work.
 *
 * @param optimizer how parameters follow their gradients
 * @param loss what is made small
 * @param metrics what is measured beside the loss, on the first output
 * @param movingAverage decay of the moving average of the weights that is evaluated and saved; 0 for none
 * @param seed what all that is random follows from
 */
public record TrainingConfig(Optimizer optimizer, Loss loss, List<Metric> metrics, double movingAverage, long seed) {
    public TrainingConfig {
        metrics = List.copyOf(metrics);
    }
}
