/**
 * Files: arrays as safetensors, event files for TensorBoard, and writing so that a crash or a full disk never leaves
 * half a file.
 *
 * <pre>{@code
 * Safetensors weights = Safetensors.read(Path.of("weights.safetensors"));
 * }</pre>
 */
package dev.tutti.io;
