package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.data.Batch;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.PackedRanges;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;
import java.util.List;

/**
 * Every member has the optimizer's state of its part of the vector alone, moves that part and gives it to the others. Where several
 * members hold the same part, each of them moves it, to the same bits.
 */
final class ShardedExchange implements Exchange, AutoCloseable {
    private final LocalWorkers workers;
    private final GradientTransfer transfer;
    private final ShardState state;
    private Collectives collectives;
    private ShardLayout layout;

    /** @param workers those of a member that has not met others own nothing */
    ShardedExchange(LocalWorkers workers, GradientTransfer transfer, int copies) {
        this.workers = workers;
        this.transfer = transfer;
        state = new ShardState(workers, copies);
    }

    LocalWorkers workers() {
        return workers;
    }

    private FlatVector vector() {
        return workers.model().vector();
    }

    @Override
    public StepResult backward(Batch batch, LocalWorkers.Turn turn, double learningRate) {
        return workers.backward(batch, turn, BackwardOverlap.NONE);
    }

    @Override
    public long complete(boolean hadData, long began) {
        if (!hadData) {
            workers.zeroGradients();
        }
        return began;
    }

    @Override
    public void sum(OwnGradients own) {
        boolean scatters = layout.group().size() > 1 && transfer.isPlain() && !layout.hasCopies() && learnsAll();
        if (!scatters) {
            transfer.sum(collectives, own);
            return;
        }
        workers.gradients();
        try (Scope scope = Scope.open()) {
            collectives.reduceScatter("gradients", vector().gradients(layout.body()));
            collectives.allReduce("the last gradients", vector().gradients(layout.tail()));
        }
    }

    private boolean learnsAll() {
        return workers.model().frozen().isEmpty();
    }

    @Override
    public void update(double learningRate, double factor) {
        state.begin();
        workers.update(learningRate, transfer.factorAfterSum(factor), this::sumOfAll);
    }

    private double sumOfAll(double own) {
        try (Scope scope = Scope.open()) {
            Tensor sum = Tensor.of(new double[] {layout.speaks() ? own : 0}, 1);
            collectives.allReduce("length of the gradients", sum);
            return sum.toArray().doubles()[0];
        }
    }

    @Override
    public void share() {
        if (layout.group().size() > 1) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                if (learnsAll()) {
                    collectives.allGather("parameters", vector().values(layout.body()));
                    collectives.broadcast("the last parameters", vector().values(layout.tail()), layout.last());
                } else {
                    shareLearning();
                }
            }
        }
        state.finished();
    }

    /** What is frozen has not moved: it does not travel. */
    private void shareLearning() {
        List<Range> learning = workers.model().trainable();
        for (int rank = 0; rank < layout.group().size(); rank++) {
            int root = rank;
            Range part = layout.of(rank);
            PackedRanges.change(
                    vector().values(),
                    learning.stream().map(part::intersect).toList(),
                    values -> collectives.broadcast("parameters", values, root));
        }
    }

    @Override
    public void abandon() {
        state.abandon();
    }

    @Override
    public void formed(Collectives group) {
        collectives = group;
        layout = state.formed(group.group());
    }

    @Override
    public void startOver() {
        state.startOver();
    }

    @Override
    public HeldState state() {
        return state;
    }

    @Override
    public void close() {
        state.close();
    }
}
