package dev.tutti.estimator;

import dev.tutti.train.Evaluation;

/** Saves the model of an estimator after some of its evaluations. */
@FunctionalInterface
public interface Exporter {
    /**
     * Called after each evaluation of {@link Estimator#trainAndEvaluate}.
     *
     * @param step how far the estimator is trained
     * @param last whether training ends here
     */
    void export(Estimator estimator, Evaluation evaluation, long step, boolean last);
}
