/**
 * Arrays, tensors and memory: the only package that knows libtorch.
 *
 * <p>{@link dev.tutti.array.NdArray} is plain memory of the JVM and loads nothing native; {@link dev.tutti.tensor.Tensor}
 * lives in the engine and belongs to a {@link dev.tutti.tensor.Scope}.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open()) {
 *     double sum = Tensor.of(new double[] {1, 2, 3}, 3).sum().item();
 * }
 * }</pre>
 */
package dev.tutti.tensor;
