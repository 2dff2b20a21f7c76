package dev.tutti.train.callback;

import dev.tutti.train.TrainingException;

/** Fails as soon as the loss is not a finite number: what is learned after that is of no use. */
final class StopOnNan implements Callback {
    @Override
    public void step(Run run) {
        if (!Double.isFinite(run.lastLoss())) {
            throw new TrainingException("the loss became " + run.lastLoss() + " in epoch " + run.epoch() + ", step "
                    + run.stepOfEpoch() + ", at a learning rate of " + run.learningRate()
                    + ": try a smaller rate, clipping, or look for NaN in the data");
        }
    }
}
