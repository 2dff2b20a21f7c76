/**
 * Layers that compute in eight-bit integers, for answers alone: weights are rounded once, channel by channel; inputs when they come.
 * Each has a plain twin in the engine's float32. Not for users.
 */
package dev.tutti.tensor.quantized;
