/**
 * Models: layers are definitions, a {@link dev.tutti.nn.Model} is a definition built for an input, with its parameters in one
 * vector. A {@link dev.tutti.nn.ModelPlan} knows all of it before memory is allocated, and builds the whole or a part.
 *
 * <pre>{@code
 * Sequential.of(conv2d(8, 3).relu().stride(2), flatten(), dense(10))
 * }</pre>
 */
package dev.tutti.nn;
