package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.data.Batch;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;

/** What the ways of several members have in common in which each has all of the state and makes the same update. */
abstract class ReplicatedExchange implements Exchange {
    private final LocalWorkers workers;
    private final Collectives collectives;

    ReplicatedExchange(LocalWorkers workers, Collectives collectives) {
        this.workers = workers;
        this.collectives = collectives;
    }

    final LocalWorkers workers() {
        return workers;
    }

    final Collectives collectives() {
        return collectives;
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
    public void update(double learningRate, double factor) {
        // The first one's number holds for all: it depends in its last bits on how many threads compute it.
        boolean first = collectives.group().isChief();
        workers.update(
                learningRate, factor, squares -> collectives.sum("length of the gradients", first ? squares : 0)[0]);
    }

    @Override
    public HeldState state() {
        return HeldState.whole(workers.state());
    }
}
