/** Protocols that clients speak: Open Inference Protocol (REST, gRPC), TensorFlow Serving's REST, plain rows, administration. */
package dev.tutti.serve.protocol;
