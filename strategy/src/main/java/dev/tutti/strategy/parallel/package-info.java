/**
 * Models larger than one member: stages, slices, and copies of both, in one grid of members.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.processes(4)).with(parallel().data(2).pipeline(2).microBatches(4))
 * }</pre>
 */
package dev.tutti.strategy.parallel;
