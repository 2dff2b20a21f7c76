/**
 * What training makes small.
 *
 * <pre>{@code
 * Trainer.of(layers, adam(1e-3), softmaxCrossEntropy())
 * }</pre>
 */
package dev.tutti.loss;
