package dev.tutti.strategy.parallel;

import dev.tutti.array.Range;
import dev.tutti.nn.Model;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Update;
import dev.tutti.strategy.allreduce.StepBackup;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FusedUpdate;
import dev.tutti.train.checkpoint.PartState;
import dev.tutti.train.replica.HeldState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The optimizer of a member's part of the model, and its state: that of all of the part, or of the member's share of it where the state is
 * sharded among those that hold the same part.
 */
final class StageState implements HeldState, AutoCloseable {
    private final Model model;
    private final Optimizer optimizer;
    private final boolean sharded;
    private Update earlier; // that of the range held, once another one is bound; null before
    private StepBackup before;
    private Update update;
    private Range bound; // what the update works on
    private Range range; // what the state is held of
    private Range needed;
    private long moved;
    private long agreed;

    StageState(Model model, Optimizer optimizer, boolean sharded) {
        this.model = model;
        this.optimizer = optimizer;
        this.sharded = sharded;
        bind(model.vector().all());
        range = bound;
        needed = bound;
    }

    private void bind(Range part) {
        update = optimizer.bind(PartState.target(model).part(part));
        bound = part;
    }

    /** A group has formed, in which so many members hold the same part. */
    void formed(int twin, int twins) {
        needed = shard(twin, twins);
    }

    /** The share of a twin, cut where updates come out the same as that of the whole. */
    Range shard(int twin, int twins) {
        Range all = model.vector().all();
        return sharded ? Range.between(cut(all, twin, twins), cut(all, twin + 1, twins)) : all;
    }

    private static long cut(Range all, int index, int parts) {
        if (index == 0 || index == parts) {
            return index == 0 ? 0 : all.to();
        }
        return FusedUpdate.blocksWithin(new Range(0, all.to() / parts * index)).to();
    }

    boolean isSharded() {
        return sharded;
    }

    /**
     * Moves the parameters of the range that this member holds the state of.
     *
     * @param othersFollow whether members may be lost before all have moved: then this can be undone
     */
    void apply(double learningRate, boolean othersFollow) {
        if (othersFollow) {
            if (before == null) {
                List<Tensor> changing = new ArrayList<>(update.state().values());
                changing.add(model.vector().values());
                before = new StepBackup(changing);
            }
            if (moved == agreed) {
                before.keep();
            }
        }
        update.apply(learningRate);
        moved++;
    }

    /** All members have what the update has moved. */
    void finished() {
        agreed = moved;
    }

    /** The step came to nothing. */
    void abandon() {
        if (moved > agreed && before != null) {
            before.restore();
            moved = agreed;
        }
    }

    @Override
    public boolean isDivided() {
        return sharded || !model.plan().isWhole();
    }

    private Map<Slice, Tensor> slices(Range part, Map<String, Tensor> tensors) {
        return new PartState(model, part, tensors, () -> moved).held();
    }

    @Override
    public Map<Slice, Tensor> held() {
        if (!isDivided()) {
            return HeldState.whole(update.state()).held();
        }
        return slices(range, (earlier == null ? update : earlier).state());
    }

    @Override
    public long version() {
        return isDivided() ? moved : 0;
    }

    @Override
    public long agreed() {
        return isDivided() ? agreed : 0;
    }

    @Override
    public List<Slice> needed() {
        if (!isDivided() || needed.equals(bound)) {
            return List.copyOf(isDivided() ? slices(bound, update.state()).keySet() : held().keySet());
        }
        try (Update other = optimizer.bind(PartState.target(model).part(needed))) {
            return List.copyOf(slices(needed, other.state()).keySet());
        }
    }

    @Override
    public Map<Slice, Tensor> makeRoom() {
        if (!isDivided()) {
            return held();
        }
        if (!needed.equals(bound)) {
            forgetBackup();
            if (earlier == null) { // what it holds stays readable until all has arrived
                earlier = update;
            } else {
                update.close();
            }
            bind(needed);
        }
        return slices(bound, update.state());
    }

    @Override
    public void adopt(long version) {
        if (!isDivided()) {
            return;
        }
        forgetEarlier();
        range = bound;
        moved = version;
        agreed = version;
    }

    private void forgetBackup() {
        if (before != null) {
            before.close();
            before = null;
        }
    }

    @Override
    public void close() {
        forgetBackup();
        forgetEarlier();
        update.close();
    }

    private void forgetEarlier() {
        if (earlier != null) {
            earlier.close();
            earlier = null;
        }
    }
}
