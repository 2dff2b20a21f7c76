package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.data.Batch;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.profile.Timing.Phase;
import dev.tutti.train.replica.StepResult;
import dev.tutti.train.worker.BackwardOverlap;
import dev.tutti.train.worker.LocalWorkers;

/**
 * Gradients travel in buckets while the backward pass still computes those of earlier layers, and every member makes the same update.
 * Members have one worker each, and a step is one batch.
 */
final class OverlappedExchange extends ReplicatedExchange {
    private final GradientBuckets buckets;
    private final Timing timing;

    /** @param buckets become this exchange's own */
    OverlappedExchange(LocalWorkers workers, Collectives collectives, GradientBuckets buckets, Timing timing) {
        super(workers, collectives);
        this.buckets = buckets;
        this.timing = timing;
    }

    @Override
    public StepResult backward(Batch batch, LocalWorkers.Turn turn, double learningRate) {
        buckets.begin(collectives());
        try {
            return workers().backward(batch, turn, BackwardOverlap.tell(buckets::ready));
        } catch (RuntimeException | Error e) {
            buckets.abandon();
            throw e;
        }
    }

    @Override
    public long complete(boolean hadData, long began) {
        if (!buckets.isBegun()) { // no data: zeros are added to what others have
            workers().zeroGradients();
            buckets.begin(collectives());
            buckets.ready(workers().model().vector().all());
        }
        buckets.await();
        return timing.record(Phase.WIRE, began);
    }

    /** They were summed on the way. */
    @Override
    public void sum(OwnGradients own) {}

    @Override
    public void abandon() {
        buckets.abandon();
    }

    @Override
    public void leave() {
        buckets.abandon();
        buckets.close();
    }
}
