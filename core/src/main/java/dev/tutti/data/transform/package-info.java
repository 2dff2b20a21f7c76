/**
 * Transforms of samples: definitions that can be written to files, saved with a model and applied again.
 *
 * <pre>{@code
 * Dataset train = Mnist.train().map(normalize(0.1307, 0.3081)).shuffle(7).batch(128);
 * }</pre>
 */
package dev.tutti.data.transform;
