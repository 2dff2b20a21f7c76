/** How parameters follow their gradients: optimizers that work on the whole vector at once, and schedules. */
package dev.tutti.optim;
