/**
 * Gradients made small for the way between members.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.processes(4)).with(allReduce().compression(powerSgd(2)))
 * }</pre>
 */
package dev.tutti.strategy.compression;
