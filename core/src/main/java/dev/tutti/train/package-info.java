/** Training: one loop, driven by a {@link dev.tutti.train.Trainer}, watched by callbacks, saved in checkpoints. */
package dev.tutti.train;
