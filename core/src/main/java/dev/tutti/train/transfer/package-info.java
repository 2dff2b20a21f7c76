/** Carries what a model has learned over to another one: adopted weights, low-rank adapters, unfreezing, a cached trunk. */
package dev.tutti.train.transfer;
