package dev.tutti.train.checkpoint;

import dev.tutti.nn.ModelPlan;
import dev.tutti.train.Evaluation;

/**
 * All that a saved model says of itself, without its weights.
 *
 * @param plan what it computes: inputs, outputs, bytes
 * @param features what is done to raw features, and the names of the classes
 * @param metrics how good it was when it was saved; null where that is not known
 * @param made how it was made
 */
public record ModelDescription(
        ModelPlan plan, SavedModel.Features features, Evaluation metrics, SavedModel.Made made) {}
