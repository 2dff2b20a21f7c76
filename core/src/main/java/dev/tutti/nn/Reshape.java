package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The same elements of a sample under other axes; one extent may be -1, which takes what is left. */
public final class Reshape extends FluentLayer<Reshape> {
    @AxisSetting
    private int[] shape = {-1};

    private Reshape() {}

    Reshape(int... shape) {
        this.shape = shape.clone();
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        long open = Arrays.stream(shape).filter(extent -> extent == -1).count();
        build.require(
                open <= 1 && Arrays.stream(shape).allMatch(extent -> extent == -1 || extent > 0),
                "needs extents of at least 1, of which one may be -1, received " + Arrays.toString(shape));
        if (!input.isKnown()) {
            return shapeWith(Shape.ANY);
        }
        long rest = open == 0 ? 1 : input.size() / shapeWith(1).size();
        Shape out = shapeWith(rest);
        if (out.size() != input.size()) {
            throw build.expected("as many elements as " + Arrays.toString(shape) + " has", input);
        }
        return out;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return x.reshape(shapeWith(-1).prepend(x.dim(0)).toArray());
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        return s.let(x + ".reshape([" + x + ".size(0), "
                + ScriptWriter.list(shapeWith(-1).toArray()).substring(1) + ")");
    }

    private Shape shapeWith(long rest) {
        return Shape.of(Arrays.stream(shape)
                .mapToLong(extent -> extent == -1 ? rest : extent)
                .toArray());
    }
}
