/**
 * Training: one loop, driven by a {@link dev.tutti.train.Trainer}, watched by callbacks, saved in checkpoints.
 *
 * <pre>{@code
 * try (Trainer trainer = Trainer.of(layers, adam(1e-3), softmaxCrossEntropy())) {
 *     History history = trainer.fit(train, epochs(3).validate(test));
 *     trainer.save(Path.of("model"));
 * }
 * }</pre>
 */
package dev.tutti.train;
