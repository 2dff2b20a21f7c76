package dev.tutti.estimator;

import java.util.List;

/**
 * How to evaluate.
 *
 * @param steps batches to look at; 0 for all
 * @param everySteps training steps between two evaluations
 * @param exporters what saves the model after an evaluation
 */
public record EvalSpec(InputFunction input, long steps, long everySteps, List<Exporter> exporters) {
    public EvalSpec {
        if (steps < 0 || everySteps < 1) {
            throw new EstimatorException("EvalSpec: expected steps of 0 or more and every 1 step or more, received "
                    + steps + " and " + everySteps);
        }
        exporters = List.copyOf(exporters);
    }

    /** All of the input, every 1,000 steps and at the end. */
    public static EvalSpec of(InputFunction input) {
        return new EvalSpec(input, 0, 1000, List.of());
    }

    public EvalSpec steps(long batches) {
        return new EvalSpec(input, batches, everySteps, exporters);
    }

    public EvalSpec everySteps(long trainingSteps) {
        return new EvalSpec(input, steps, trainingSteps, exporters);
    }

    /** Saves models on the way; see {@link Exporters}. */
    public EvalSpec exporters(Exporter... choice) {
        return new EvalSpec(input, steps, everySteps, List.of(choice));
    }
}
