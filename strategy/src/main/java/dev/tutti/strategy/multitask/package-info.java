/**
 * Members that combine the gradients of several tasks.
 *
 * <pre>{@code
 * tasks.trainer(adam(1e-3)).fit(data, epochs(3).on(Cluster.processes(2)).with(placedTasks().everySteps(20)))
 * }</pre>
 */
package dev.tutti.strategy.multitask;
