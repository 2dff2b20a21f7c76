package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Scales the last axis to length 1, so that products of two are cosines. */
public final class UnitNorm extends FluentLayer<UnitNorm> {
    private static final double LEAST = 1e-12;

    UnitNorm() {}

    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (input.rank() < 1) {
            throw build.expected("at least one axis", input);
        }
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor length = x.square().sum(-1).unsqueeze(-1).sqrt();
        return x.div(length.clamp(LEAST, Float.MAX_VALUE));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String x = in.get(0);
        return s.let(x + " / torch.clamp(torch.sqrt((" + x + " * " + x + ").sum([-1], True)), " + LEAST + ")");
    }
}
