package dev.tutti.estimator;

import java.util.List;

/**
 * How to train.
 *
 * @param maxSteps the last step, counted over all calls; 0 for one pass over the input
 */
public record TrainSpec(InputFunction input, long maxSteps, List<TrainingHook> hooks) {
    public TrainSpec {
        hooks = List.copyOf(hooks);
    }

    public static TrainSpec of(InputFunction input, long maxSteps) {
        return new TrainSpec(input, maxSteps, List.of());
    }

    public TrainSpec hooks(TrainingHook... more) {
        return new TrainSpec(input, maxSteps, List.of(more));
    }
}
