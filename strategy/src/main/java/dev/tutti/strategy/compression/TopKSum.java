package dev.tutti.strategy.compression;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.nn.Model;
import dev.tutti.tensor.Tensor;

/**
 * Gives all members the largest gradients of each, as pairs of place and value.
 *
 * <p>Every member adds them up in the order of ranks, so the sum is the same bits on every member.
 */
final class TopKSum extends ErrorFeedback {
    private final double fraction;

    TopKSum(Model model, double fraction) {
        super(model);
        this.fraction = fraction;
    }

    @Override
    void exchange(Collectives collectives, Tensor owed, Tensor gradients) {
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
}
