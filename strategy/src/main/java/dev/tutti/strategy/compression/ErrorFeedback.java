package dev.tutti.strategy.compression;

import dev.tutti.comm.Collectives;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;

/** Sums a part of the gradients at each step; what a member has not sent it owes, and sends later. */
abstract class ErrorFeedback implements GradientSum {
    private final ErrorBuffer residual = new ErrorBuffer();

    @Override
    public final void sum(Collectives collectives, Tensor gradients, long step) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor owed = residual.with(gradients, step);
            if (collectives.group().size() == 1) { // no bytes to save: everything in the buffer is applied
                gradients.copy_(owed);
                owed.zero_();
            } else {
                exchange(collectives, owed, gradients);
            }
        }
    }

    /**
     * Sends a part of what is owed.
     *
     * @param owed what is sent is taken off, in place
     * @param gradients becomes the sum of what all members have sent
     */
    abstract void exchange(Collectives collectives, Tensor owed, Tensor gradients);

    @Override
    public void close() {
        residual.close();
    }
}
