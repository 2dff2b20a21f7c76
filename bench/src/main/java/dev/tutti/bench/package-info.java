/**
 * The benchmarks that there are and the one call that runs them.
 *
 * <p>{@link dev.tutti.bench.harness} knows how to measure and nothing of what is measured; the definitions here say
 * what races against what; {@link dev.tutti.bench.contender} and {@link dev.tutti.bench.engine} are our side of the races.
 */
package dev.tutti.bench;
