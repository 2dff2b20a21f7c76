package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.worker.LocalWorkers;

/** Chooses the exchange when a group forms, and owns what outlives groups. All members choose alike. */
final class ExchangeChoice implements AutoCloseable {
    private final AllReduce strategy;
    private final LocalWorkers workers;
    private final Timing timing;
    private final GradientTransfer transfer;
    private final ShardedExchange sharded; // null where every member has all of the state

    ExchangeChoice(AllReduce strategy, LocalWorkers workers, GradientSum gradientSum, Timing timing) {
        this.strategy = strategy;
        this.workers = workers;
        this.timing = timing;
        transfer = new GradientTransfer(workers, gradientSum);
        sharded = strategy.shardsState() ? new ShardedExchange(workers, transfer, strategy.copiesOfShards()) : null;
    }

    /**
     * What members of a group have in common.
     *
     * @param oneWorkerEach whether every member has one worker
     * @param oneBatchSteps whether an update is made of one batch
     */
    record StepShape(boolean oneWorkerEach, boolean oneBatchSteps) {}

    /** That of a member before its first group: it has the state, and makes no steps. */
    Exchange first() {
        return sharded != null ? sharded : new SingleMemberExchange(workers, false);
    }

    /** That of a group; a call which all members make. */
    Exchange of(Collectives collectives, StepShape now) {
        transfer.regrouped();
        if (sharded != null) {
            return sharded;
        }
        if (!transfer.isPlain()) {
            return new AllReduceExchange(workers, collectives, transfer);
        }
        if (collectives.group().size() == 1) {
            return new SingleMemberExchange(workers, now.oneBatchSteps());
        }
        if (strategy.overlapsIn(collectives.group()) && now.oneWorkerEach() && now.oneBatchSteps()) {
            return new OverlappedExchange(
                    workers, collectives, new GradientBuckets(workers.model(), strategy.bucketBytes()), timing);
        }
        return inSharedMemory(collectives);
    }

    private Exchange inSharedMemory(Collectives collectives) {
        FlatVector vector = workers.model().vector();
        if (!vector.device().equals(Device.CPU)) {
            return new AllReduceExchange(workers, collectives, transfer);
        }
        return collectives
                .summands("gradients", vector.type(), vector.size())
                .<Exchange>map(summands -> new SharedMemoryExchange(workers, collectives, summands))
                .orElseGet(() -> new AllReduceExchange(workers, collectives, transfer));
    }

    @Override
    public void close() {
        if (sharded != null) {
            sharded.close();
        }
        transfer.close();
    }
}
