package dev.tutti.strategy.allreduce;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.worker.LocalWorkers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a member holds of a sharded optimizer's state: slices of vectors as long as the model's, and counters, which all members hold.
 *
 * <p>When a group forms the member needs another range. It holds the range of before, in memory set apart, until that of the new group has
 * been written.
 */
final class ShardState implements HeldState, AutoCloseable {
    private final LocalWorkers workers;
    private final int copies;
    private final Map<String, Tensor> apart =
            new LinkedHashMap<>(); // of the range held, once the workers own another one
    private StepBackup before; // null while nothing is kept
    private ShardLayout layout;
    private Range range; // what is held; null: nothing
    private long moved;
    private long agreed;

    ShardState(LocalWorkers workers, int copies) {
        this.workers = workers;
        this.copies = copies;
    }

    /** A group has formed; says how the state is divided in it. */
    ShardLayout formed(Group group) {
        layout = new ShardLayout(group, workers.model().vector().size(), copies);
        return layout;
    }

    /**
     * An update is about to be made. What it changes is kept where the step can be repeated without a checkpoint: where other members hold
     * the same, and where the optimizer has no state, so that the loss of a member loses nothing.
     */
    void begin() {
        if (layout.hasCopies() || workers.state().isEmpty()) {
            if (before == null) {
                List<Tensor> changing = new ArrayList<>(workers.state().values());
                changing.add(workers.model().vector().values());
                before = new StepBackup(changing);
            }
            before.keep();
        }
        moved++;
    }

    /** All members have finished the update. */
    void finished() {
        agreed = moved;
    }

    /** The step under way came to nothing: an update that not all members have finished is undone, where it was kept what was before. */
    void abandon() {
        if (moved > agreed && before != null) {
            before.restore();
            moved = agreed;
        }
    }

    /** Nothing that is held counts any more. */
    void startOver() {
        forgetBackup();
        forgetApart();
        range = null;
        moved = 0;
        agreed = 0;
    }

    @Override
    public boolean isDivided() {
        return true;
    }

    @Override
    public Map<Slice, Tensor> held() {
        if (range == null) {
            return Map.of();
        }
        return slices(range, apart.isEmpty() ? workers.state() : apart);
    }

    @Override
    public long version() {
        return moved;
    }

    @Override
    public long agreed() {
        return agreed;
    }

    @Override
    public List<Slice> needed() {
        return List.copyOf(slices(layout.own(), workers.state()).keySet());
    }

    private Map<Slice, Tensor> slices(Range part, Map<String, Tensor> tensors) {
        Shape whole = Shape.of(workers.model().vector().size());
        Map<Slice, Tensor> slices = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> slices.put(
                tensor.rank() == 0 ? Slice.all(name, Shape.scalar()) : new Slice(name, whole, 0, part), tensor));
        return slices;
    }

    @Override
    public Map<Slice, Tensor> makeRoom() {
        if (range != null && apart.isEmpty()) {
            workers.state().forEach((name, tensor) -> apart.put(name, tensor.retain()));
        }
        forgetBackup();
        workers.own(layout.own());
        return slices(layout.own(), workers.state());
    }

    @Override
    public void adopt(long version) {
        forgetApart();
        range = layout.own();
        moved = version;
        agreed = version;
    }

    private void forgetBackup() {
        if (before != null) {
            before.close();
            before = null;
        }
    }

    private void forgetApart() {
        apart.values().forEach(Tensor::close);
        apart.clear();
    }

    @Override
    public void close() {
        forgetBackup();
        forgetApart();
    }
}
