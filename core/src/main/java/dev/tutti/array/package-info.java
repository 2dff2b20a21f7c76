/**
 * Arrays in the JVM's own memory, their shapes and element types, and ranges of a vector: plain Java without an engine.
 *
 * <pre>{@code
 * NdArray image = NdArray.of(new float[784], 1, 28, 28);
 * Shape shape = image.shape();
 * }</pre>
 */
package dev.tutti.array;
