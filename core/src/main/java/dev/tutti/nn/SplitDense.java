package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A member's slice of a {@link Dense}: some of its outputs (columns), or some of its inputs (rows). A pair of columns and rows exchanges
 * nothing in between: the first leaves its outputs sliced, the second takes them so.
 */
final class SplitDense extends FluentLayer<SplitDense> {
    private final transient Dense whole;
    private final transient boolean columns;
    private final transient boolean paired;
    private final transient Range range;
    private final transient long units;
    private final transient long inputs;

    /**
     * A slice of a layer.
     *
     * @param columns whether it has some of the outputs; else some of the inputs
     * @param paired whether what is between the two layers of a pair stays sliced
     * @param range which outputs or inputs
     */
    SplitDense(Dense whole, boolean columns, boolean paired, Range range, long units, long inputs) {
        this.whole = whole;
        this.columns = columns;
        this.paired = paired;
        this.range = range;
        this.units = units;
        this.inputs = inputs;
    }

    @Override
    public String kind() {
        return whole.kind();
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        long out = columns ? range.length() : units;
        long in = columns ? inputs : range.length();
        build.parameter("weight", Shape.of(out, in), Initializer.ZEROS);
        if (whole.hasBias()) {
            build.parameter("bias", Shape.of(out), Initializer.ZEROS, in, out, ParameterLayout.PLAIN);
        }
        Shape output = input.with(-1, units);
        if (columns) {
            build.sums(paired ? null : output, input);
            return input.with(-1, paired ? out : units);
        }
        build.sums(output, paired ? null : input);
        return output;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor weight = pass.parameter("weight");
        Tensor bias = whole.hasBias() ? pass.parameter("bias") : null;
        if (columns) {
            Tensor own = Functions.linear(pass.sharedBySlices(x), weight, bias);
            return paired ? own : gathered(own, own.rank() - 1, range, units, pass);
        }
        Tensor own = paired ? x : pass.sharedBySlices(x).narrow(x.rank() - 1, range.from(), range.length());
        Tensor sum = pass.sumOfSlices(Functions.linear(own, weight, null));
        return bias == null ? sum : sum.add(bias);
    }

    /** What all members that hold slices have along an axis. */
    static Tensor gathered(Tensor own, int axis, Range range, long length, ForwardContext pass) {
        List<Tensor> parts = new ArrayList<>();
        addZeros(parts, own, axis, range.from());
        parts.add(own);
        addZeros(parts, own, axis, length - range.to());
        return pass.sumOfSlices(Tensor.concat(parts, axis).contiguous());
    }

    private static void addZeros(List<Tensor> parts, Tensor like, int axis, long length) {
        if (length > 0) {
            parts.add(Tensor.zeros(like.shape().with(axis, length), like.type()));
        }
    }
}
