/**
 * Files: arrays as safetensors, event files for TensorBoard, and writing so that a crash or a full disk never leaves
 * half a file.
 */
package dev.tutti.io;
