package dev.tutti.jobs.learn;

/**
 * How the learning of a model goes.
 *
 * @param examples to learn from
 * @param heldOut examples that judge it
 */
public record LearningReport(String model, long examples, long heldOut, LearningState state) {}
