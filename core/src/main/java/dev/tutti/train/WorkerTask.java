package dev.tutti.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Layer;
import dev.tutti.train.replica.Strategy;

/**
 * All that another JVM needs to take part in training: a value that can be written as JSON.
 *
 * @param model the definition of the model
 * @param recipe what is learned and how
 * @param data what is learned from, ready to be read
 * @param validation looked at after each epoch; may be null
 * @param epochs how often the data is gone through
 * @param accumulate batches that make one update
 * @param strategy how members agree
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WorkerTask(
        Layer model,
        TrainingConfig recipe,
        Dataset data,
        Dataset validation,
        int epochs,
        int accumulate,
        Strategy strategy) {}
