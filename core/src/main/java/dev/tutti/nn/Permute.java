package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The axes of a sample in another order: {@code permute(1, 0)} makes {@code [time, features]} of {@code [features, time]}. */
public final class Permute extends FluentLayer<Permute> {
    private int[] axes = {1, 0};

    private Permute() {}

    Permute(int... axes) {
        this.axes = axes.clone();
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(
                Arrays.equals(
                        Arrays.stream(axes).sorted().toArray(),
                        IntStream.range(0, axes.length).toArray()),
                "needs every axis from 0 on once, received " + Arrays.toString(axes));
        if (input.rank() != axes.length) {
            throw build.expected(axes.length + " axes", input);
        }
        return Shape.of(Arrays.stream(axes).mapToLong(input::dim).toArray());
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return x.permute(withBatch());
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let(in.get(0) + ".permute(" + ScriptWriter.list(withBatch()) + ")");
    }

    private long[] withBatch() {
        return IntStream.concat(IntStream.of(0), Arrays.stream(axes).map(axis -> axis + 1))
                .asLongStream()
                .toArray();
    }
}
