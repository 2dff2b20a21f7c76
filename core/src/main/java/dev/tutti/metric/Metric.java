package dev.tutti.metric;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;

/**
 * The definition of a measure of quality: an immutable value that can be written as JSON. {@link Metrics} makes the
 * built-in ones.
 *
 * <p><b>Classification.</b> Predictions are logits or probabilities of shape {@code [..., classes]}, such as {@code
 * [batch, classes]} or {@code [batch, time, classes]}; of shape {@code [batch]} or {@code [..., 1]} when there are two
 * classes and the model gives one number, a logit: above the threshold of 0 is class 1. (For probabilities use {@code
 * threshold(0.5)}.) Targets are class ids, one for each row of the predictions, or one-hot rows of the predictions'
 * shape. A row of predictions that holds a NaN decides for no class, so it counts as wrong.
 *
 * <p><b>Regression.</b> Predictions and targets have the same shape. A NaN on either side makes the value NaN.
 *
 * <p>A metric of the user's own implements {@link MeanMetric}, which leaves one method to write, or this interface, and is named
 * with {@link dev.tutti.json.Json#register}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Metric {
    /** What the value is called in logs, histories and files, such as {@code accuracy} or {@code top5}. */
    String name();

    /** A state that has seen nothing yet. */
    MetricState newState();

    /** The place of the model's output, and of the label, that it measures, counted from 0. */
    default int output() {
        return 0;
    }

    /** Whether a better model has a higher value; errors such as the mean absolute error say false. */
    default boolean higherIsBetter() {
        return true;
    }
}
