package dev.tutti.optim;

import dev.tutti.array.Range;
import dev.tutti.tensor.Tensor;
import java.util.IdentityHashMap;
import java.util.Map;

/** A part of a target's range that learns: views of values, gradients and state, made once and used at every step. */
public final class ParameterSlice implements AutoCloseable {
    private final Range range;
    private final boolean whole;
    private final Tensor values;
    private final Tensor gradients;
    private final Map<Tensor, Tensor> views = new IdentityHashMap<>();

    /** The tensors are as long as the target's range; so are positions within it. */
    ParameterSlice(Range range, boolean whole, Tensor values, Tensor gradients) {
        this.range = range;
        this.whole = whole;
        this.values = of(values);
        this.gradients = of(gradients);
    }

    public Tensor values() {
        return values;
    }

    public Tensor gradients() {
        return gradients;
    }

    /** The part of a state tensor that belongs to this stretch. */
    public Tensor of(Tensor state) {
        if (whole) {
            return state;
        }
        return views.computeIfAbsent(
                state, full -> full.narrow(0, range.from(), range.length()).retain());
    }

    Range range() {
        return range;
    }

    @Override
    public void close() {
        views.values().forEach(Tensor::close);
        views.clear();
    }
}
