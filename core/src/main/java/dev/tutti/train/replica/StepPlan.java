package dev.tutti.train.replica;

/**
 * What is known of a step before it begins.
 *
 * @param number how many updates came before it; random numbers follow from it
 * @param learningRate what the update moves parameters by
 */
public record StepPlan(long number, double learningRate) {}
