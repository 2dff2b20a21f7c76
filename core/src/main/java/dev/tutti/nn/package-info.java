/**
 * Models: layers are definitions, a {@link dev.tutti.nn.Model} is a definition built for an input, with its parameters in one
 * vector.
 */
package dev.tutti.nn;
