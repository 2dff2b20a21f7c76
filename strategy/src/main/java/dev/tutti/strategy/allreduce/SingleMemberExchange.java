package dev.tutti.strategy.allreduce;

import dev.tutti.data.Batch;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;

/**
 * One member, whose gradients are all there are: nothing travels. Where a step is one batch, workers that are done with their pass begin
 * with the update, so parameters move while others still compute.
 */
final class SingleMemberExchange implements Exchange {
    private final LocalWorkers workers;
    private final boolean oneBatchSteps;

    /** @param oneBatchSteps whether an update is made of one batch */
    SingleMemberExchange(LocalWorkers workers, boolean oneBatchSteps) {
        this.workers = workers;
        this.oneBatchSteps = oneBatchSteps;
    }

    @Override
    public StepResult backward(Batch batch, LocalWorkers.Turn turn, double learningRate) {
        double factor = turn.divisor() / batch.size();
        return workers.backward(
                batch, turn, oneBatchSteps ? BackwardOverlap.update(learningRate, factor) : BackwardOverlap.NONE);
    }

    @Override
    public long complete(boolean hadData, long began) {
        if (!hadData) {
            workers.zeroGradients();
        }
        return began;
    }

    @Override
    public void sum(OwnGradients own) {}

    @Override
    public void update(double learningRate, double factor) {
        workers.update(learningRate, factor);
    }

    @Override
    public HeldState state() {
        return HeldState.whole(workers.state());
    }
}
