/**
 * Carries what a model has learned over to another one: adopted weights, low-rank adapters, unfreezing, a cached trunk.
 *
 * <pre>{@code
 * Adoption.from(Path.of("earlier-model")).into(model);
 * model.freeze("conv2d1");
 * }</pre>
 */
package dev.tutti.train.transfer;
