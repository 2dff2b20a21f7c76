/** How replicas agree. */
package dev.tutti.strategy;
