package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.train.worker.LocalWorkers;

/**
 * Gradients are written where all members can read them, and each member sums them as it updates: the same bits as if they had
 * travelled.
 */
final class SharedMemoryExchange extends ReplicatedExchange {
    private final SharedVectorSum summands;
    private boolean left;

    /** @param summands become this exchange's own */
    SharedMemoryExchange(LocalWorkers workers, Collectives collectives, SharedVectorSum summands) {
        super(workers, collectives);
        this.summands = summands;
        workers.shareGradients(summands.own(), summands::sum);
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
        summands.prepare();
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
