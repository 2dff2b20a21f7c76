/**
 * Measures of how good predictions are, made so that a dataset can be measured in parts.
 *
 * <p>A {@link dev.tutti.metric.Metric} is a definition; its {@link dev.tutti.metric.MetricState} gathers batches.
 * States merge exactly: for any parts in any order, the result is the same to the last bit as from one pass
 * over everything.
 *
 * <pre>{@code
 * Trainer.of(layers, adam(1e-3), softmaxCrossEntropy()).metrics(accuracy())
 * }</pre>
 */
package dev.tutti.metric;
