package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Collectives;
import dev.tutti.strategy.compression.GradientSum;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import dev.tutti.train.worker.LocalWorkers;

/**
 * Sums gradients that travel after the passes, as they are or compressed. It outlives groups: a compression remembers what this member
 * owes the others.
 */
final class GradientTransfer implements AutoCloseable {
    private final LocalWorkers workers;
    private final GradientSum gradientSum;

    GradientTransfer(LocalWorkers workers, GradientSum gradientSum) {
        this.workers = workers;
        this.gradientSum = gradientSum;
    }

    /** Whether gradients travel as they are. */
    boolean isPlain() {
        return gradientSum == GradientSum.PLAIN;
    }

    /** Sums over all members, in place. Frozen parameters stay behind. */
    void sum(Collectives collectives, Exchange.OwnGradients own) {
        // Gradients of which some stay behind for later must count alike at every step.
        if (!isPlain() && own.factor() != 1 && own.hadData()) {
            workers.scaleGradients(own.factor());
        }
        Tensor gradients = workers.gradients();
        if (gradientSum.isElementwise()) {
            PackedRanges.change(
                    gradients,
                    workers.model().trainable(),
                    learning -> gradientSum.sum(collectives, learning, own.step()));
        } else {
            gradientSum.sum(collectives, gradients, own.step());
        }
    }

    /** What sums are still to be multiplied by. */
    double factorAfterSum(double factor) {
        return isPlain() ? factor : 1;
    }

    /** The members have met. */
    void regrouped() {
        gradientSum.regrouped();
    }

    @Override
    public void close() {
        gradientSum.close();
    }
}
