/** Models as ONNX graphs: written for other runtimes, and read from other frameworks. */
package dev.tutti.transfer.onnx;
