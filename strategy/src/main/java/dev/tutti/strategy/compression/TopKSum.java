package dev.tutti.strategy.compression;

import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.tensor.DType;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;

/**
 * Gives all members the largest gradients of each, as pairs of place and value.
 *
 * <p>Everybody adds them up in the order of ranks, so the sum is the same bits on every member.
 */
final class TopKSum implements GradientSum {
    private final double fraction;
    private final Residual residual = new Residual();

    TopKSum(double fraction) {
        this.fraction = fraction;
    }

    @Override
    public void sum(Collectives collectives, Tensor gradients, long step) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor owed = residual.with(gradients, step);
            if (collectives.group().size() == 1) { // nobody to spare the bytes for: all that is owed is paid
                gradients.copy_(owed);
                owed.zero_();
                return;
            }
            exchange(collectives, owed, gradients);
        }
    }

    private void exchange(Collectives collectives, Tensor owed, Tensor gradients) {
        Group group = collectives.group();
        long count = Math.max(1, Math.round(fraction * gradients.size()));
        Shape all = Shape.of(count * group.size());
        Tensor places = Tensor.zeros(all, gradients.size() > Integer.MAX_VALUE ? DType.INT64 : DType.INT32);
        Tensor values = Tensor.zeros(all, gradients.type());
        Tensor largest = owed.abs().largest(count);
        of(group.rank(), count, places).copy_(largest);
        of(group.rank(), count, values).copy_(owed.at(largest));
        owed.zeroAt_(largest);
        collectives.allGather("places of the largest gradients", places);
        collectives.allGather("the largest gradients", values);
        gradients.zero_();
        for (int rank = 0; rank < group.size(); rank++) {
            gradients.addAt_(of(rank, count, places).to(DType.INT64), of(rank, count, values));
        }
    }

    private static Tensor of(int rank, long count, Tensor all) {
        return all.narrow(0, rank * count, count);
    }

    @Override
    public void close() {
        residual.close();
    }
}
