package dev.tutti.nn;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/**
 * Adds to each step of {@code [time, width]} a vector that encodes its position: sines and cosines of many wavelengths, or
 * with {@link #learned()} vectors that training finds.
 */
public final class PositionalEncoding extends FluentLayer<PositionalEncoding> {
    private int maxLength;
    private boolean learned;

    PositionalEncoding() {}

    /** The longest sequence there will be; needed where the length of the input is not known beforehand. */
    public PositionalEncoding maxLength(int steps) {
        return copy(c -> c.maxLength = steps);
    }

    public PositionalEncoding learned() {
        return copy(c -> c.learned = true);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (input.rank() != 2 || input.dim(1) == Shape.ANY) {
            throw build.expected("[time, width]", input);
        }
        build.require(maxLength >= 0, "needs a maxLength of at least 1, received " + maxLength);
        build.require(
                maxLength > 0 || input.dim(0) != Shape.ANY,
                "receives " + input + " from " + build.sources().get(0) + ", whose length is not known: set maxLength");
        if (maxLength > 0 && input.dim(0) > maxLength) {
            throw build.expected("at most " + maxLength + " steps", input);
        }
        Shape table = Shape.of(maxLength > 0 ? maxLength : input.dim(0), input.dim(1));
        if (learned) {
            build.parameter("weight", table, Initializer.SMALL_NORMAL);
        } else {
            build.buffer("table", table, Initializer.ZEROS);
        }
        return input;
    }

    /** Even columns are sines, odd ones cosines; wavelengths grow from 2π to 10000 times that. */
    @Override
    protected void initialise(ForwardContext pass) {
        if (learned) {
            return;
        }
        Tensor table = pass.buffer("table");
        int steps = (int) table.dim(0);
        int width = (int) table.dim(1);
        double[] values = new double[steps * width];
        for (int i = 0; i < values.length; i++) {
            int step = i / width;
            int column = i % width;
            int even = column - column % 2;
            double angle = step / Math.pow(10_000, (double) even / width);
            values[i] = column % 2 == 0 ? Math.sin(angle) : Math.cos(angle);
        }
        table.write(NdArray.of(values, steps, width).to(table.type()));
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor table = learned ? pass.parameter("weight") : pass.buffer("table");
        long before = pass.cache() == null ? 0 : pass.cache().steps();
        long steps = before + x.dim(1);
        long most = table.dim(0);
        if (steps > most) {
            throw new ShapeException("layer " + pass.path() + " knows " + most + " steps, but receives a sequence of "
                    + steps + ": set maxLength(" + steps + ")");
        }
        return x.add(x.dim(1) == most ? table : table.narrow(0, before, x.dim(1)));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        return s.let(x + " + " + s.self(learned ? "weight" : "table") + ".narrow(0, 0, " + x + ".size(1))");
    }
}
