package dev.tutti.strategy.compression;

import dev.tutti.array.Range;
import dev.tutti.comm.Collectives;
import dev.tutti.nn.Model;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.PackedRanges;
import java.util.List;

/**
 * Sums a part of the gradients at each step; what a member has not sent it owes, and sends later. Frozen parameters are left out: what is
 * owed for them waits until they learn again.
 */
abstract class ErrorFeedback implements GradientSum {
    private final Model model;
    private final ErrorBuffer residual = new ErrorBuffer();

    ErrorFeedback(Model model) {
        this.model = model;
    }

    final Model model() {
        return model;
    }

    @Override
    public final void sum(Collectives collectives, Tensor gradients, long step) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Range> learning = model.trainable();
            PackedRanges.change(
                    residual.with(gradients, step),
                    learning,
                    owed -> PackedRanges.change(gradients, learning, sum -> pay(collectives, owed, sum)));
        }
    }

    private void pay(Collectives collectives, Tensor owed, Tensor gradients) {
        if (collectives.group().size() == 1) { // no bytes to save: everything in the buffer is applied
            gradients.copy_(owed);
            owed.zero_();
        } else {
            exchange(collectives, owed, gradients);
        }
    }

    /**
     * Sends a part of what is owed. Both vectors hold the parameters that learn, one after the other.
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
