/** Tensors as clients send and receive them: nested JSON, raw little-endian bytes, CSV, images. */
package dev.tutti.serve.tensor;
