package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.table.RowGradients;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.GradientListener;
import dev.tutti.tensor.vector.GradientTape;
import java.util.List;
import java.util.Optional;

/**
 * A forward pass that {@link Model#record} has run, and the only way back over it.
 *
 * <p>Order of calls: a loss is computed of the {@link #outputs}; then {@code backward} once, from that loss or from gradients of the
 * outputs; then, where they were asked for, {@link #inputGradient}. Several passes of one model may be open at once, as the
 * micro-batches of a pipeline are, and run backward in any order. Parameters must not change in between. A pass belongs to the thread
 * and to the scope it was recorded in; one that does not run backward is closed.
 *
 * <p>Gradients of parameters go to the model's vector. After a backward pass that has failed they are undefined.
 */
public final class RecordedPass implements AutoCloseable {
    private final GradientTape tape;
    private final List<Tensor> inputs;
    private final List<Tensor> outputs;
    private final boolean inputGradients;
    private final List<ForwardContext.TouchedRows> touched;
    private final RowGradients rowGradients;
    private boolean done;

    RecordedPass(
            GradientTape tape,
            List<Tensor> inputs,
            List<Tensor> outputs,
            boolean inputGradients,
            List<ForwardContext.TouchedRows> touched,
            RowGradients rowGradients) {
        this.touched = touched;
        this.rowGradients = rowGradients;
        this.tape = tape;
        this.inputs = inputs;
        this.outputs = outputs;
        this.inputGradients = inputGradients;
    }

    public List<Tensor> outputs() {
        return outputs;
    }

    /**
     * Runs backward from a single number that was computed of the outputs.
     *
     * @param add whether the gradients are added to what the vector holds, instead of replacing it
     * @throws IllegalStateException if the pass ran backward before or was closed
     */
    public void backward(Tensor loss, boolean add) {
        backward(loss, add, GradientListener.NONE);
    }

    /** The same, with a listener that hears of gradients while the pass still runs. */
    public void backward(Tensor loss, boolean add, GradientListener listener) {
        tape.backward(loss, add, listener);
        addRowGradients(add);
        done = true;
    }

    /**
     * Runs backward from the gradients of the outputs, one for each, as the next stage of a pipeline computes them.
     *
     * @param add whether the gradients of parameters are added to what the vector holds, instead of replacing it
     * @throws IllegalArgumentException if the shapes of the gradients are not those of the outputs
     * @throws IllegalStateException if the pass ran backward before or was closed
     */
    public void backward(List<Tensor> gradients, boolean add) {
        backward(gradients, add, GradientListener.NONE);
    }

    /** The same, with a listener that hears of gradients while the pass still runs. */
    public void backward(List<Tensor> gradients, boolean add, GradientListener listener) {
        tape.backward(outputs, gradients, add, listener);
        addRowGradients(add);
        done = true;
    }

    private void addRowGradients(boolean add) {
        if (!add) {
            rowGradients.clear();
        }
        for (ForwardContext.TouchedRows each : touched) {
            each.rows()
                    .gradient()
                    .ifPresent(gradient -> rowGradients.add(
                            each.table().name(),
                            each.table().width(),
                            each.ids(),
                            gradient.to(DType.FLOAT32).toArray().floats()));
        }
    }

    /**
     * The gradient of an input, after {@code backward}: zeros where no output depends on the input, empty where the input is of whole
     * numbers, which have none.
     *
     * @throws IllegalStateException if the pass did not run backward, or was recorded without gradients of the inputs
     */
    public Optional<Tensor> inputGradient(int index) {
        if (!inputGradients) {
            throw new IllegalStateException("the pass was recorded without gradients of the inputs: record it with "
                    + "recordWithInputGradients");
        }
        if (!done) {
            throw new IllegalStateException("gradients of the inputs are there after backward, which was not called");
        }
        Tensor input = inputs.get(index);
        if (!input.type().isFloating()) {
            return Optional.empty();
        }
        return Optional.of(input.gradient().orElseGet(() -> Tensor.zeros(input.shape(), input.type(), input.device())));
    }

    /** Lets go of the record without a backward pass. Closing twice, or after a backward pass, does nothing. */
    @Override
    public void close() {
        tape.close();
    }
}
