package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.data.Batch;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Every member has the optimizer's state of its part of the vector alone, moves that part and gives it to the others.
 *
 * <p>The state is whole on every member from a meeting to the first update behind it: that is when it is restored and taken over.
 * Then it is cut. The chief gets it together again when all know that it is wanted. A part that is lost with its member is lost, and only
 * a checkpoint brings it back.
 */
final class ShardedExchange implements Exchange, AutoCloseable {
    private final LocalWorkers workers;
    private final GradientTransfer transfer;
    private final Map<String, Tensor> gathered = new LinkedHashMap<>();
    private Collectives collectives;
    private ShardLayout cut; // null while the state is whole
    private long moved;
    private long agreed;

    ShardedExchange(LocalWorkers workers, GradientTransfer transfer) {
        this.workers = workers;
        this.transfer = transfer;
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
        Group group = collectives.group();
        if (cut == null && group.size() > 1) {
            divide(new ShardLayout(group, vector().size()));
        }
        if (cut == null || !transfer.isPlain()) {
            transfer.sum(collectives, own);
            return;
        }
        workers.gradients();
        try (Scope scope = Scope.open()) {
            collectives.reduceScatter("gradients", vector().gradients(cut.body()));
            collectives.allReduce("the last gradients", vector().gradients(cut.tail()));
        }
    }

    @Override
    public void update(double learningRate, double factor) {
        forgetGathered();
        workers.update(learningRate, transfer.factorAfterSum(factor), this::sumOfAll);
        moved++;
    }

    private double sumOfAll(double own) {
        try (Scope scope = Scope.open()) {
            Tensor sum = Tensor.of(new double[] {own}, 1);
            collectives.allReduce("length of the gradients", sum);
            return sum.toArray().doubles()[0];
        }
    }

    @Override
    public void share(boolean stateWanted) {
        if (cut != null) {
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                collectives.allGather("parameters", vector().values(cut.body()));
                collectives.broadcast("the last parameters", vector().values(cut.tail()), cut.last());
                if (stateWanted) {
                    gather();
                }
            }
        }
        agreed = moved;
    }

    /** Gives the chief the state of all parts. */
    private void gather() {
        workers.state().forEach((name, own) -> {
            boolean chief = collectives.group().isChief();
            if (own.rank() == 0) {
                if (chief) {
                    gathered.put(name, own.copy().retain());
                }
                return;
            }
            Tensor all = chief ? whole(own).retain() : null;
            if (chief) {
                gathered.put(name, all);
            }
            for (int rank = 1; rank < collectives.group().size(); rank++) {
                Range range = cut.of(rank);
                if (chief && !range.isEmpty()) {
                    collectives.receive("state: " + name, all.narrow(0, range.from(), range.length()), rank);
                } else if (rank == collectives.group().rank() && !range.isEmpty()) {
                    collectives.send("state: " + name, own, 0);
                }
            }
        });
    }

    /** As long as the vector; this member's part in its place. */
    private Tensor whole(Tensor own) {
        Tensor all = Tensor.zeros(Shape.of(vector().size()), own.type());
        all.narrow(0, cut.own().from(), cut.own().length()).copy_(own);
        return all;
    }

    private void divide(ShardLayout newCut) {
        Range own = newCut.own();
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> parts = new LinkedHashMap<>();
            workers.state()
                    .forEach((name, all) -> parts.put(
                            name,
                            all.rank() == 0
                                    ? all.copy()
                                    : all.narrow(0, own.from(), own.length()).copy()));
            workers.own(own);
            workers.state().forEach((name, part) -> part.copy_(parts.get(name)));
        }
        cut = newCut;
    }

    @Override
    public void formed(Collectives group) {
        collectives = group;
        forgetGathered();
        long part = cut == null ? ShardInventory.Own.NO_PART : cut.own().length();
        ShardInventory holdings =
                ShardInventory.of(collectives, new ShardInventory.Own(part, moved, agreed), vector().size());
        if (holdings.divided()) {
            unite(holdings);
        }
        moved = holdings.updates();
        agreed = moved;
    }

    /** As new: the whole state is here, and has seen no updates. */
    @Override
    public void startOver() {
        forgetGathered();
        if (cut != null) {
            workers.own(vector().all());
            cut = null;
        }
        moved = 0;
        agreed = 0;
    }

    /** Everybody gets the whole state, newcomers as well. */
    private void unite(ShardInventory holdings) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> wholes = new LinkedHashMap<>();
            workers.state().forEach((name, own) -> {
                if (own.rank() == 0) {
                    Tensor number = own.reshape(1).copy();
                    collectives.broadcast("state: " + name, number, holdings.speaker());
                    wholes.put(name, number.reshape());
                } else {
                    wholes.put(name, together(holdings, name, own));
                }
            });
            if (cut != null) {
                workers.own(vector().all());
            }
            workers.state().forEach((name, all) -> all.copy_(wholes.get(name)));
        }
        cut = null;
    }

    private Tensor together(ShardInventory holdings, String name, Tensor own) {
        Tensor all = cut == null ? own.copy() : whole(own);
        if (holdings.whole()) {
            collectives.broadcast("state: " + name, all, holdings.speaker());
        } else {
            if (cut == null) {
                all.zero_(); // new here: nothing to give
            }
            collectives.allReduce("state: " + name, all);
        }
        return all;
    }

    @Override
    public Map<String, Tensor> state() {
        if (cut == null) {
            return workers.state();
        }
        if (gathered.isEmpty() && !workers.state().isEmpty()) {
            throw new TrainingException(
                    "shardedState: the optimizer's state is divided among the members, and the chief"
                            + " gets it at the end of an epoch, at the end of training, and at steps that a callback has asked for"
                            + " with Callback.needsState: it was read at another one");
        }
        return gathered;
    }

    private void forgetGathered() {
        gathered.values().forEach(Tensor::close);
        gathered.clear();
    }

    @Override
    public void close() {
        forgetGathered();
    }
}
