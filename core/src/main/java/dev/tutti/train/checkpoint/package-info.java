/**
 * Checkpoints, from which a run goes on as if it had never stopped, and saved models.
 *
 * <pre>{@code
 * SavedModel saved = SavedModel.load(Path.of("runs/mnist/model"));
 * }</pre>
 */
package dev.tutti.train.checkpoint;
