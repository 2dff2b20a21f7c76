package dev.tutti.train;

import dev.tutti.data.Dataset;
import dev.tutti.nn.Layer;

/**
 * All that another JVM needs to take part in training: a value that can be written as JSON.
 *
 * @param model the definition of the model
 * @param config what is learned and how
 * @param data what is learned from, ready to be read
 * @param fit how long and by which strategy; callbacks and places stay with the process that has them
 */
public record WorkerTask(Layer model, TrainingConfig config, Dataset data, Fit fit) {}
