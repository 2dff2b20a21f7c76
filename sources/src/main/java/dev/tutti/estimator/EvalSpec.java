package dev.tutti.estimator;

/**
 * How to evaluate.
 *
 * @param steps batches to look at; 0 for all
 * @param everySteps training steps between two evaluations
 */
public record EvalSpec(InputFunction input, long steps, long everySteps) {
    public EvalSpec {
        if (steps < 0 || everySteps < 1) {
            throw new EstimatorException("EvalSpec: expected steps of 0 or more and every 1 step or more, received "
                    + steps + " and " + everySteps);
        }
    }

    /** All of the input, every 1,000 steps and at the end. */
    public static EvalSpec of(InputFunction input) {
        return new EvalSpec(input, 0, 1000);
    }

    public EvalSpec steps(long batches) {
        return new EvalSpec(input, batches, everySteps);
    }

    public EvalSpec everySteps(long trainingSteps) {
        return new EvalSpec(input, steps, trainingSteps);
    }
}
