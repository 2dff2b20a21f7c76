package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Locale;

/**
 * One vector for a sequence: the mean of its steps, or its first one. {@code [time, width]} becomes {@code [width]}. A second input is a
 * mask {@code [time]}: steps with 0 do not count towards the mean.
 */
public final class SequencePool extends MergeLayer<SequencePool> {
    /** Which vector is taken. */
    public enum Kind {
        MEAN,
        FIRST;

        @JsonCreator
        static Kind named(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }

        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A sequence without a single step has a mean of zero. */
    private static final double LEAST = 1e-9;

    private Kind take = Kind.MEAN;

    SequencePool() {}

    /** Takes the first step, as classifiers over BERT do, instead of the mean. */
    public SequencePool first() {
        return copy(c -> c.take = Kind.FIRST);
    }

    @Override
    protected Shape build(List<Shape> inputs, BuildContext build) {
        build.require(
                inputs.size() == 1 || inputs.size() == 2,
                "takes one input, or one and a mask, received " + inputs.size());
        if (inputs.get(0).rank() != 2) {
            throw build.expected("[time, width]", inputs.get(0));
        }
        return inputs.get(0).from(1);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        Tensor x = inputs.get(0);
        if (take == Kind.FIRST) {
            return x.select(1, 0);
        }
        if (inputs.size() == 1) {
            return x.mean(1);
        }
        Tensor mask = inputs.get(1).unsqueeze(-1);
        return x.mul(mask).sum(1).div(mask.sum(1).clamp(LEAST, Float.MAX_VALUE));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        if (take == Kind.FIRST) {
            return s.let(x + ".select(1, 0)");
        }
        if (in.size() == 1) {
            return s.let(x + ".mean([1])");
        }
        String mask = s.let(in.get(1) + ".unsqueeze(-1)");
        return s.let("(" + x + " * " + mask + ").sum([1]) / torch.clamp(" + mask + ".sum([1]), " + LEAST + ")");
    }
}
