/**
 * Makes smaller and faster models of trained ones.
 *
 * <pre>{@code
 * Quantizer.Report report = Quantizer.of(Path.of("runs/mnist/model"))
 *         .calibratedBy(training, 512)
 *         .write(Path.of("runs/mnist-int8"), Quantizer.Target.INT8, test, 0.01);
 * }</pre>
 */
package dev.tutti.train.quantize;
