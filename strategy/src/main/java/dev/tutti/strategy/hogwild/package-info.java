/** Hogwild: threads of one JVM that change the shared parameters without waiting for each other. */
package dev.tutti.strategy.hogwild;
