/**
 * Several tasks learned at once by one model: their data, losses and metrics side by side.
 *
 * <pre>{@code
 * MultiTask tasks = MultiTask.of(graph, Task.of("digit", digits, "digit", softmaxCrossEntropy()), Task.of("size", sizes, "size", mse()));
 * tasks.trainer(adam(1e-3)).fit(tasks.data(7).batch(128), epochs(3));
 * }</pre>
 */
package dev.tutti.train.multitask;
