/**
 * Parameter servers: servers hold the model's vector in shards; workers pull values, compute, and push gradients.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.processes(2)).with(parameterServer())
 * }</pre>
 */
package dev.tutti.strategy.ps;
