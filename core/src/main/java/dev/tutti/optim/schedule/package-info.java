/**
 * Schedules of the learning rate: pure functions of how far a run has come.
 *
 * <pre>{@code
 * adam(1e-3).schedule(cosine().warmup(500))
 * }</pre>
 */
package dev.tutti.optim.schedule;
