/**
 * Members that sum their gradients at every step.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.processes(4)).with(allReduce().shardedState())
 * }</pre>
 */
package dev.tutti.strategy.allreduce;
