/**
 * How parameters follow their gradients: optimizers that work on the whole vector at once, and schedules.
 *
 * <pre>{@code
 * sgd(0.1).momentum(0.9).clipNorm(1)
 * }</pre>
 */
package dev.tutti.optim;
