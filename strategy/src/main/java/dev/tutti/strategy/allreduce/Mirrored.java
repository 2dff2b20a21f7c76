package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.LocalWorkers;
import java.util.Map;

/** Every member has all gradients, all of the state, and makes the same update. */
final class Mirrored implements Exchange {
    private final LocalWorkers workers;
    private final GradientSum gradientSum;

    Mirrored(LocalWorkers workers, GradientSum gradientSum) {
        this.workers = workers;
        this.gradientSum = gradientSum;
    }

    @Override
    public void sum(Collectives collectives, long step) {
        if (collectives.group().size() > 1 || gradientSum != GradientSum.PLAIN) {
            gradientSum.sum(collectives, workers.gradients(), step);
        }
    }

    @Override
    public void update(Collectives collectives, double learningRate, double factor) {
        // The first one's number holds for all: it depends in its last bits on how many threads compute it.
        boolean first = collectives.group().isChief();
        workers.update(
                learningRate, factor, squares -> collectives.sum("length of the gradients", first ? squares : 0)[0]);
    }

    @Override
    public void share(Collectives collectives, boolean stateWanted) {}

    @Override
    public void regrouped(Collectives collectives) {
        gradientSum.regrouped();
    }

    @Override
    public Map<String, Tensor> state() {
        return workers.state();
    }

    @Override
    public void close() {
        gradientSum.close();
    }
}
