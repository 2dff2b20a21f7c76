package dev.tutti.train;

import dev.tutti.loss.Loss;
import dev.tutti.metric.Metric;
import dev.tutti.optim.Optimizer;
import java.util.List;

/** What is learned and how, whoever does the work: optimizer, loss, metrics and the seed of all that is random. */
public record Recipe(Optimizer optimizer, Loss loss, List<Metric> metrics, long seed) {
    public Recipe {
        metrics = List.copyOf(metrics);
    }
}
