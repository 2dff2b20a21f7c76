/**
 * Data as a recipe: where rows come from, what is done to them, in which order they are read.
 *
 * <p>{@link dev.tutti.data.Dataset} is an immutable value that can be written as JSON and is opened where it is used.
 * Rows are {@link dev.tutti.data.Sample}s in the JVM's own memory; nothing here loads the tensor engine. New kinds of
 * data implement {@link dev.tutti.data.source.Source}, new steps {@link dev.tutti.data.transform.Transform}.
 *
 * <pre>{@code
 * Dataset train = Mnist.train().shuffle(7).batch(128);
 * }</pre>
 */
package dev.tutti.data;
