package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Tensor;
import java.util.function.Consumer;

/**
 * Sums what batch norm has to know of the whole batch, in the middle of forward and backward passes.
 *
 * <p>The engine would not carry our exceptions through a backward pass: a failure is kept, the pass ends with useless numbers,
 * and {@link #check} says why.
 */
final class SharedBatches implements Consumer<Tensor> {
    private final Team team;
    private final boolean shared;
    private RuntimeException failure;
    private long nanos;

    /** @param shared whether batch norm looks at more than each worker's rows; if not, there is nothing to sum */
    SharedBatches(Team team, boolean shared) {
        this.team = team;
        this.shared = shared;
    }

    @Override
    public void accept(Tensor values) {
        if (failure != null || team.group().size() == 1) {
            return;
        }
        long began = System.nanoTime();
        try {
            team.collectives().allReduce("batch norm", values);
        } catch (RuntimeException e) {
            failure = e;
        }
        nanos += System.nanoTime() - began;
    }

    /**
     * Ends a pass.
     *
     * @return how long it waited for others
     * @throws GroupChangedException if a member was missing
     */
    long check() {
        if (failure != null) {
            throw failure;
        }
        long waited = nanos;
        nanos = 0;
        return waited;
    }

    /** Takes part in the passes of those who have more batches for this step. */
    void awaitOthers(Collectives collectives) {
        if (shared && collectives.group().size() > 1) {
            collectives.join();
        }
    }

    void regrouped() {
        failure = null;
        nanos = 0;
    }
}
