/** Predictions of models whose parts are on several members. */
package dev.tutti.strategy.parallel.inference;
