/**
 * Arrays, tensors and memory: the only package that knows libtorch.
 *
 * <p>{@link dev.tutti.array.NdArray} is plain memory of the JVM and loads nothing native; {@link dev.tutti.tensor.Tensor}
 * lives in the engine and belongs to a {@link dev.tutti.tensor.Scope}.
 */
package dev.tutti.tensor;
