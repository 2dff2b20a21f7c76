package dev.tutti.testkit.fault;

import dev.tutti.array.Range;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.function.BiConsumer;

/** Disturbs what a member says to others about vectors that all can read; what is read there cannot be disturbed. */
final class FaultyVectorSum implements SharedVectorSum {
    private final SharedVectorSum inner;
    private final String what;
    private final BiConsumer<String, Runnable> disturbance;

    /** @param disturbance makes a call with a name, late or not at all */
    FaultyVectorSum(SharedVectorSum inner, String what, BiConsumer<String, Runnable> disturbance) {
        this.inner = inner;
        this.what = what;
        this.disturbance = disturbance;
    }

    @Override
    public Tensor own() {
        return inner.own();
    }

    @Override
    public void awaitReaders() {
        disturbance.accept("readers of " + what, inner::awaitReaders);
    }

    @Override
    public void prepare(List<Range> wanted) {
        disturbance.accept(what, () -> inner.prepare(wanted));
    }

    @Override
    public void sum(Range range, Tensor into) {
        inner.sum(range, into);
    }

    @Override
    public void release() {
        inner.release();
    }

    @Override
    public void close() {
        inner.close();
    }
}
