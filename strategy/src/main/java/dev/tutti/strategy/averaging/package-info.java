/**
 * Members that train on their own for a while and then average their models.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.processes(4)).with(averaging().everySteps(20))
 * }</pre>
 */
package dev.tutti.strategy.averaging;
