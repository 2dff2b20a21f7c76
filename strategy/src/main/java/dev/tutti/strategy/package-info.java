/**
 * How replicas agree.
 *
 * <pre>{@code
 * trainer.fit(train, epochs(3).on(Cluster.processes(4)).with(averaging().everySteps(20)))
 * }</pre>
 */
package dev.tutti.strategy;
