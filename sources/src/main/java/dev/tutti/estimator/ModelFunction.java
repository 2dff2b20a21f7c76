package dev.tutti.estimator;

/** Says what the model is in a mode. The predictions must be the same layers in every mode. */
@FunctionalInterface
public interface ModelFunction {
    /** @param context what is known about the features and the run */
    EstimatorSpec apply(Mode mode, ModelContext context);
}
