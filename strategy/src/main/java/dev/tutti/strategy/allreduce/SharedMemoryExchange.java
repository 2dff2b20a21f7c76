package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.worker.LocalWorkers;
import java.util.List;

/**
 * Gradients are written where all members can read them, and each member sums them as it updates: the same bits as if they had
 * travelled.
 */
final class SharedMemoryExchange extends ReplicatedExchange {
    private final SharedVectorSum summands;
    private List<Range> learning = List.of(); // of the step under way
    private boolean left;

    /** @param summands become this exchange's own */
    SharedMemoryExchange(LocalWorkers workers, Collectives collectives, SharedVectorSum summands) {
        super(workers, collectives);
        this.summands = summands;
        workers.shareGradients(summands.own(), this::sumLearning);
    }

    /** What is frozen is not read from the others: it has no gradients. */
    private void sumLearning(Range range, Tensor into) {
        long frozenFrom = range.from();
        for (Range each : learning) {
            Range part = range.intersect(each);
            if (!part.isEmpty()) {
                zero(range, Range.between(frozenFrom, part.from()), into);
                summands.sum(part, within(range, part, into));
                frozenFrom = part.to();
            }
        }
        zero(range, Range.between(frozenFrom, range.to()), into);
    }

    private static void zero(Range range, Range frozen, Tensor into) {
        if (!frozen.isEmpty()) {
            within(range, frozen, into).zero_();
        }
    }

    private static Tensor within(Range range, Range part, Tensor values) {
        return part.equals(range) ? values : values.narrow(0, part.from() - range.from(), part.length());
    }

    /** Nothing is written while others may still read what was there before. */
    @Override
    public void begin() {
        summands.awaitReaders();
    }

    @Override
    public long complete(boolean hadData, long began) {
        if (!hadData) {
            summands.awaitReaders();
        }
        long since = super.complete(hadData, began);
        workers().gradients(); // the sum of this member's workers lies in the shared memory
        return since;
    }

    @Override
    public void sum(OwnGradients own) {
        learning = workers().model().trainable();
        summands.prepare(learning);
    }

    @Override
    public void update(double learningRate, double factor) {
        super.update(learningRate, factor);
        summands.release();
    }

    @Override
    public void leave() {
        if (!left) {
            left = true;
            workers().shareGradients(null, null);
            summands.close();
        }
    }
}
