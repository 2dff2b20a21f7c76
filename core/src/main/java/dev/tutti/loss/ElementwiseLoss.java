package dev.tutti.loss;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions.Reduction;
import dev.tutti.tensor.Tensor;

/**
 * A loss that compares output and target number by number.
 *
 * <p>Both must have the same shape; only a last axis of length 1 may be missing in one of them, as in targets {@code
 * [batch]} for outputs {@code [batch, 1]}. Nothing is ever broadcast: that would compare everything with everything and
 * still give a number.
 */
abstract class ElementwiseLoss extends Loss {
    /** The losses of two tensors of the same shape and type, or their mean. */
    abstract Tensor losses(Tensor output, Tensor target, Reduction reduction);

    @Override
    public final Tensor compute(Tensor output, Tensor target) {
        return losses(output, target(output, target), Reduction.MEAN);
    }

    @Override
    protected final Tensor ofEach(Tensor output, Tensor target) {
        Tensor all = losses(output, target(output, target), Reduction.NONE);
        return all.rank() == 1 ? all : all.reshape(all.dim(0), -1).mean(1);
    }

    /** The target in the shape and type of the output. */
    private Tensor target(Tensor output, Tensor target) {
        Shape wanted = output.shape();
        Shape given = target.shape();
        Tensor fitted = target;
        if (!given.equals(wanted)) {
            if (!fits(wanted, given)) {
                throw mismatch("outputs " + wanted, "targets " + given);
            }
            fitted = target.view(wanted.toArray());
        }
        return fitted.type() == output.type() ? fitted : fitted.to(output.type());
    }

    @Override
    public void check(NdArray target, Shape output) {
        Shape sample = target.shape().rank() == 0 ? null : target.shape().from(1);
        if (sample == null || !(output.matches(sample) || fits(output, sample))) {
            throw mismatch("outputs " + output + " for each sample", "targets " + target.shape() + " for a batch");
        }
    }

    private TargetException mismatch(String outputs, String targets) {
        return new TargetException(kind() + ": the model gives " + outputs + ", but the data gives " + targets
                + ": both must have the same shape");
    }

    /** True when the shapes differ only by a last axis of length 1. */
    private static boolean fits(Shape a, Shape b) {
        return a.rank() > b.rank() ? a.matches(b.append(1)) : a.rank() < b.rank() && b.matches(a.append(1));
    }
}
