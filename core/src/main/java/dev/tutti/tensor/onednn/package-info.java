/**
 * Primitives of oneDNN that are kept ready from step to step: chains of convolutions in oneDNN's own layouts, and products of
 * large matrices. Each has a plain twin in the engine. Not for users.
 */
package dev.tutti.tensor.onednn;
