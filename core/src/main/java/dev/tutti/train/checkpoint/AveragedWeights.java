package dev.tutti.train.checkpoint;

import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import java.util.Map;

/** The moving average of a model's weights, where the recipe asks for one: what is evaluated, saved and left at the end. */
public final class AveragedWeights implements AutoCloseable {
    private final Model model;
    private final MovingAverage average; // null: none is asked for

    public AveragedWeights(Model model, TrainingConfig recipe) {
        this.model = model;
        average = recipe.movingAverage() == 0 ? null : MovingAverage.withWarmup(model.vector(), recipe.movingAverage());
    }

    /** The members have agreed on so many updates: only such ones count, so the average is the same on all of them. */
    public void update(int steps) {
        for (int i = 0; average != null && i < steps; i++) {
            average.update();
        }
    }

    /** Gives the model the averaged weights until it is closed. */
    public MovingAverage.Swap swapIn() {
        return average == null ? () -> {} : average.swapIn();
    }

    Map<String, Tensor> state() {
        return average == null ? Map.of() : average.state();
    }

    /** Leaves the model with the weights that were evaluated. */
    public void leave() {
        if (average != null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                model.vector().values().copy_(average.state().get("average"));
            }
            close();
        }
    }

    @Override
    public void close() {
        if (average != null) {
            average.close();
        }
    }
}
