/**
 * Models: layers are definitions, a {@link dev.tutti.nn.Model} is a definition built for an input, with its parameters in one
 * vector. A {@link dev.tutti.nn.ModelPlan} knows all of it before memory is allocated, and builds the whole or a part.
 */
package dev.tutti.nn;
