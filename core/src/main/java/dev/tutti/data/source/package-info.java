/**
 * Where rows come from: arrays, IDX files, MNIST; {@link dev.tutti.data.source.Source} is the contract of a source of your own.
 *
 * <pre>{@code
 * Dataset train = Dataset.of(NdArray.of(values, rows, 4), NdArray.of(labels, rows));
 * }</pre>
 */
package dev.tutti.data.source;
