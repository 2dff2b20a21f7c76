package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.train.worker.LocalWorkers;
import java.util.Map;

/**
 * Every member has all gradients, all of the state, and makes the same update.
 *
 * <p>Where members can read each other's memory gradients are written there, and each member sums them as it updates: the same
 * bits as if they had travelled.
 */
final class ReplicatedExchange implements Exchange {
    private final LocalWorkers workers;
    private final GradientSum gradientSum;
    private SharedVectorSum summands; // null where gradients travel

    ReplicatedExchange(LocalWorkers workers, GradientSum gradientSum) {
        this.workers = workers;
        this.gradientSum = gradientSum;
    }

    @Override
    public boolean isOfOneMember(Group group) {
        return group.size() == 1 && gradientSum == GradientSum.PLAIN;
    }

    @Override
    public void begin() {
        if (summands != null) {
            summands.awaitReaders();
        }
    }

    @Override
    public void ready() {
        if (summands != null) {
            workers.gradients();
        }
    }

    @Override
    public void sum(Collectives collectives, long step) {
        if (summands != null) {
            summands.prepare();
        } else if (!isOfOneMember(collectives.group())) {
            gradientSum.sum(collectives, workers.gradients(), step);
        }
    }

    @Override
    public void update(Collectives collectives, double learningRate, double factor) {
        // The first one's number holds for all: it depends in its last bits on how many threads compute it.
        boolean first = collectives.group().isChief();
        workers.update(
                learningRate, factor, squares -> collectives.sum("length of the gradients", first ? squares : 0)[0]);
        if (summands != null) {
            summands.release();
        }
    }

    @Override
    public void share(Collectives collectives, boolean stateWanted) {}

    @Override
    public void regrouped(Collectives collectives) {
        gradientSum.regrouped();
        withdraw();
    }

    @Override
    public void shareMemory(Collectives collectives) {
        FlatVector vector = workers.model().vector();
        boolean onCpu = vector.device().equals(Device.CPU);
        if (collectives.group().size() > 1 && gradientSum == GradientSum.PLAIN && onCpu) {
            collectives.summands("gradients", vector.type(), vector.size()).ifPresent(all -> {
                summands = all;
                workers.shareGradients(all.own(), all::sum);
            });
        }
    }

    /** Gradients lie in this member's own memory again. */
    private void withdraw() {
        if (summands != null) {
            workers.shareGradients(null, null);
            summands.close();
            summands = null;
        }
    }

    @Override
    public Map<String, Tensor> state() {
        return workers.state();
    }

    @Override
    public void close() {
        withdraw();
        gradientSum.close();
    }
}
