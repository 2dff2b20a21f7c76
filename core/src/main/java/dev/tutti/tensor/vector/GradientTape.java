package dev.tutti.tensor.vector;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.onednn.BlockedConvChain;
import dev.tutti.tensor.onednn.ConvChain;
import dev.tutti.tensor.onednn.PrimitiveCache;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The record of one forward pass over parameters of a {@link FlatVector}, and the only way back over it.
 *
 * <p>Order of calls: {@link #product}, {@link #chain} and {@link #residual} any number of times while the forward pass runs; then
 * {@link #backward} once, which leaves the tape closed; or {@link #close}. Several tapes of one vector may be open at once, and run
 * backward in any order. Values of the parameters must not change in between. A tape belongs to one thread at a time, and to the
 * scope of its forward pass.
 *
 * <p>Where the forward pass goes through the tape, the record is cut: what follows is recorded as if the result were an input, and
 * gradients of the parameters are computed straight into the vector. So all that follows may depend on what came before only
 * through the result, and no backward pass but the tape's will do.
 */
public final class GradientTape implements AutoCloseable {
    private final FlatVector vector;
    private final ManualBackwards cuts = new ManualBackwards();
    private final Set<Range> taken = new HashSet<>();
    private GradientListener listener = GradientListener.NONE;
    private RuntimeException listenerFailure;
    private boolean adding;
    private boolean closed;

    GradientTape(FlatVector vector) {
        this.vector = vector;
    }

    // ---- forward

    /** Whether {@link #product} brings something for a weight. */
    public boolean writesDirectly(Tensor weight) {
        return weight.handle().requires_grad() && vector.largeGradient(weight) != null;
    }

    /**
     * A dense product with parameters of the vector.
     *
     * @param bias may be null
     * @param rectified whether negative results are set to zero
     * @param type what is multiplied in, and the type of the result
     * @return empty where the product brings nothing, or cannot be made that way
     */
    public Optional<Tensor> product(Tensor x, Tensor weight, Tensor bias, boolean rectified, DType type) {
        if (x.rank() != 2 || x.handle().is_mkldnn() || !weight.handle().requires_grad()) {
            return Optional.empty();
        }
        if (bias != null && (!bias.handle().requires_grad() || bias.size() >= LargeGradient.LEAST)) {
            return Optional.empty();
        }
        LargeGradient gradient = vector.largeGradient(weight);
        return gradient == null
                ? Optional.empty()
                : Optional.of(cuts.add(new ProductBackward(x, gradient, bias, rectified, type, cuts.last())));
    }

    /**
     * A chain of convolutions, max pools and rectifiers with parameters of the vector.
     *
     * @return empty where it cannot be made that way
     */
    public Optional<Tensor> chain(Tensor x, ConvChain chain) {
        PrimitiveCache.Entry<BlockedConvChain> ready = chain.hold(x);
        return ready == null
                ? Optional.empty()
                : Optional.of(cuts.add(new ConvChainBackward(x, ready, vector::largeGradient, cuts.last())));
    }

    /**
     * The sum of a tensor and of what a branch makes of its rows, within which {@link #product} may be used.
     *
     * @param branch gets all axes but the last as one, and leaves their lengths as they are
     */
    public Tensor residual(Tensor x, UnaryOperator<Tensor> branch) {
        return cuts.addResidual(x, branch);
    }

    // ---- backward

    /**
     * Runs the backward pass from a loss. Afterwards the gradients of the vector hold what it gave. After a failure they are
     * undefined, and the tape is closed.
     *
     * @param add whether it is added to what the gradients held before
     * @throws IllegalStateException if the tape is closed
     */
    public void backward(Tensor loss, boolean add, GradientListener heard) {
        run(loss::backward, add, heard);
    }

    /**
     * The same from results whose gradients are known, one for each. Those of results that nothing learned leads to are ignored.
     *
     * @throws IllegalArgumentException if the shape of a gradient is not that of its result
     */
    public void backward(List<Tensor> results, List<Tensor> gradients, boolean add, GradientListener heard) {
        if (results.size() != gradients.size()) {
            throw new IllegalArgumentException("expected a gradient for each of " + results.size()
                    + " outputs, received " + gradients.size() + " gradients");
        }
        List<Tensor> from = new ArrayList<>();
        List<Tensor> known = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Tensor result = results.get(i);
            if (!result.shape().equals(gradients.get(i).shape())) {
                throw new IllegalArgumentException("expected a gradient of shape " + result.shape() + " for output "
                        + (i + 1) + ", received " + gradients.get(i).shape());
            }
            if (result.handle().requires_grad()) {
                from.add(result);
                known.add(gradients.get(i));
            }
        }
        run(() -> Tensor.backward(from, known), add, heard);
    }

    private void run(Runnable engine, boolean add, GradientListener heard) {
        if (closed) {
            throw new IllegalStateException(
                    "a recorded pass runs backward once, and this one is closed: record the batch again");
        }
        listener = heard;
        adding = add;
        vector.begin(this, add, heard.event() == GradientListener.Event.FINAL);
        try {
            engine.run();
            cuts.backward(add, this::written);
        } finally {
            close();
            vector.end(add, taken);
        }
        if (listenerFailure != null) {
            throw listenerFailure;
        }
        heard.told().accept(vector.all());
    }

    /** A cut has written the gradient of a parameter, and is through with its values. */
    private void written(Tensor parameter) {
        vector.rangesOf(parameter).forEach(range -> {
            taken.add(range);
            tell(range);
        });
    }

    /** The engine has accumulated the gradient of a parameter. */
    void accumulated(Range range) {
        if (listener.event() != GradientListener.Event.FINAL || listenerFailure != null) {
            return;
        }
        if (vector.takeOver(range, adding)) {
            taken.add(range);
        }
        tell(range);
    }

    private void tell(Range range) {
        if (listenerFailure != null) {
            return;
        }
        try {
            listener.told().accept(range);
        } catch (RuntimeException e) {
            listenerFailure = e; // the engine would not carry it through
        }
    }

    /** Lets go of the record. Closing twice does nothing. */
    @Override
    public void close() {
        closed = true;
        cuts.close();
    }
}
