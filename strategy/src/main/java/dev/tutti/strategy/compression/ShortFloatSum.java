package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.comm.Collectives;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;

/** Rounds gradients to a type of half the bytes and sums in it. Nothing is remembered: rounding errs to both sides. */
final class ShortFloatSum implements GradientSum {
    private final DType wire;
    private final GradientEncoder encoder;

    ShortFloatSum(DType wire) {
        this.wire = wire;
        encoder = new ShortFloatEncoder(wire);
    }

    @Override
    public void sum(Collectives collectives, Tensor gradients, long step) {
        if (collectives.group().size() == 1) {
            return;
        }
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor rounded = encoder.encode(gradients).get(0);
            collectives.allReduce("gradients as " + wire, rounded);
            gradients.copy_(rounded);
        }
    }

    @Override
    public boolean isElementwise() {
        return true;
    }
}
