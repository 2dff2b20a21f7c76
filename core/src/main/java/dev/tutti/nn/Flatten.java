package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Lays all axes of a sample out in one. */
public final class Flatten extends FluentLayer<Flatten> {
    @Override
    protected Shape build(Shape input, BuildContext build) {
        if (!input.isKnown()) {
            throw build.expected("axes of known length", input);
        }
        return Shape.of(input.size());
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return x.flatten(1);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.flatten(" + in.get(0) + ", 1)");
    }
}
