package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Divides the last axis of each sample by the root of its mean square, then scales it by what it learns: layer norm without means. */
public final class RmsNorm extends FluentLayer<RmsNorm> {
    private double epsilon = 1e-5;

    RmsNorm() {}

    /** What is added to the mean square, so that nothing is divided by zero. */
    public RmsNorm epsilon(double value) {
        return copy(c -> c.epsilon = value);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(epsilon > 0, "needs an epsilon above 0, received " + epsilon);
        if (input.rank() < 1 || input.dim(-1) == Shape.ANY) {
            throw build.expected("a last axis of known length", input);
        }
        build.parameter("weight", Shape.of(input.dim(-1)), Initializer.ONES);
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor squares = x.square().mean(x.rank() - 1).unsqueeze(x.rank() - 1);
        return x.mul(squares.add(epsilon).pow(-0.5)).mul(pass.parameter("weight"));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        return s.let(x + " * torch.rsqrt(torch.mean(" + x + " * " + x + ", [-1], True) + " + epsilon + ") * "
                + s.self("weight"));
    }
}
