package dev.tutti.strategy.parallel;

import dev.tutti.comm.Collectives;
import dev.tutti.tensor.Tensor;
import java.util.function.Consumer;

/**
 * Sums what members that hold slices of the same layers have computed, in the middle of forward and backward passes. The engine would not
 * carry our exceptions: a failure is kept, the pass ends with useless numbers, and {@link #check} throws.
 */
final class SliceSum implements Consumer<Tensor> {
    private Collectives slices;
    private RuntimeException failure;
    private long sums;
    private long bytes;

    void formed(Collectives ofSlices) {
        slices = ofSlices;
        failure = null;
    }

    @Override
    public void accept(Tensor values) {
        if (failure != null) {
            return;
        }
        try {
            slices.allReduce("slices", values);
            sums++;
            bytes += values.size() * values.type().bytes();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Bytes of the tensors that were summed so far. */
    long bytes() {
        return bytes;
    }

    long sums() {
        return sums;
    }
}
