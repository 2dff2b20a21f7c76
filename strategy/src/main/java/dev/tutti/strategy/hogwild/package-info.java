/**
 * Hogwild: threads of one JVM that change the shared parameters without waiting for each other.
 *
 * <pre>{@code
 * epochs(3).on(Cluster.threads(2)).with(hogwild())
 * }</pre>
 */
package dev.tutti.strategy.hogwild;
