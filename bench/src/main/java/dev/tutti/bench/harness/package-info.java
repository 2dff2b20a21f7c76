/**
 * Measures ours beside theirs: processes that are started, pinned, asked in turn, and ended for certain.
 *
 * <p>A {@link dev.tutti.bench.harness.Benchmark} is a list of races, a race is a list of comparisons of our entrant
 * with others, and each comparison becomes one row of the results.
 */
package dev.tutti.bench.harness;
