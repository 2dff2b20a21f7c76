package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.train.worker.LocalWorkers;

/** Gradients travel after the passes, as they are or compressed, and every member makes the same update. */
final class AllReduceExchange extends ReplicatedExchange {
    private final GradientTransfer transfer;

    AllReduceExchange(LocalWorkers workers, Collectives collectives, GradientTransfer transfer) {
        super(workers, collectives);
        this.transfer = transfer;
    }

    @Override
    public void sum(OwnGradients own) {
        transfer.sum(collectives(), own);
    }

    @Override
    public void update(double learningRate, double factor) {
        super.update(learningRate, transfer.factorAfterSum(factor));
    }
}
