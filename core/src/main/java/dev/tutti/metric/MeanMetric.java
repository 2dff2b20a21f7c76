package dev.tutti.metric;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.array.NdArray;
import java.util.Locale;

/**
 * A metric that is a mean over samples: the base for metrics of the user's own. One method measures a batch; merging over
 * workers, checkpoints and the state of an epoch are provided. A share of samples is the mean of ones and zeros.
 *
 * <pre>{@code
 * public record Confident(double from) implements MeanMetric {
 *     public void measure(NdArray predictions, NdArray targets, Mean mean) {
 *         for (int i = 0; i < predictions.size(); i++) {
 *             mean.add(Math.abs(predictions.at(i)) >= from ? 1 : 0);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>The class has a name in files once it is registered with {@link dev.tutti.json.Json#register}. All settings are written: a
 * record has no defaults that could be left out.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public interface MeanMetric extends Metric {
    /**
     * Adds the values of one batch to {@code mean}, in most cases one value for each row. Called from one thread at a time for
     * each state; several states of one metric may be in use at once, so the metric itself keeps no values.
     *
     * @param predictions the first output of the model; the first axis is the batch
     * @param targets the first label; the first axis is the batch
     * @throws MetricException if the batch cannot be measured; the state then stays as it was before the batch
     */
    void measure(NdArray predictions, NdArray targets, Mean mean);

    /** The simple name of the class with a small first letter, such as {@code confident}, unless overridden. */
    @Override
    default String name() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    @Override
    default MetricState newState() {
        return new MeanState(this);
    }
}
