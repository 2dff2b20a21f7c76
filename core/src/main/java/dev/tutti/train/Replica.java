package dev.tutti.train;

import dev.tutti.data.Batch;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Tensor;
import java.util.Map;

/**
 * One worker's part of training, driven by the one training loop. Strategies differ in what happens inside.
 *
 * <p>Order of calls: for each step {@link #accumulate} once or more, then {@link #update} once; at the end {@link #close}.
 * {@link #state} may be read and written between steps: that is how it is saved and restored.
 */
public interface Replica extends AutoCloseable {
    Model model();

    /** Runs a batch forward and backward; gradients add up until the next update, each sample counting the same. */
    StepResult accumulate(Batch batch, long step);

    /** Agrees on the gradients where there are several workers, and moves the parameters. */
    void update(double learningRate);

    /** Everything beside the model that the next step depends on, by name. */
    Map<String, Tensor> state();

    @Override
    void close();
}
