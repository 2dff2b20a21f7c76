package dev.tutti.federated;

/**
 * How a client trains in one round.
 *
 * @param epochs passes over its data
 * @param batch rows to a batch; 0 for all of its rows in one
 * @param rateFactor what the optimizer's learning rate is multiplied by in this round
 * @param seed what the order of rows and dropout follow from
 * @param rules what the aggregation asks for
 */
public record LocalSettings(int epochs, int batch, double rateFactor, long seed, LocalRules rules) {}
