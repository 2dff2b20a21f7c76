/**
 * The flat vector that holds all parameters of a model, their gradients in a second one, and the fused kernels that update a
 * range of it. Backward passes that write gradients straight into the vector live here as well. Not for users.
 */
package dev.tutti.tensor.vector;
