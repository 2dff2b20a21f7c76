package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** The gated pair of dense layers of newer language models: {@code down(silu(gate(x)) * up(x))}, without biases. */
public final class SwiGlu extends FluentLayer<SwiGlu> {
    private int inner;
    private transient Range own; // null: all of the inner width

    private SwiGlu() {}

    SwiGlu(int inner) {
        this.inner = inner;
    }

    int inner() {
        return inner;
    }

    /** A member's slice: some of the inner width. */
    SwiGlu sliced(Range some) {
        return copy(c -> c.own = some);
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(inner > 0, "needs an inner width of at least 1, received " + inner);
        if (input.rank() < 1 || input.dim(-1) == Shape.ANY) {
            throw build.expected("a last axis of known length", input);
        }
        int width = Math.toIntExact(input.dim(-1));
        Dense wide = new Dense(inner).noBias();
        Dense narrow = new Dense(width).noBias();
        if (own == null) {
            Shape between = build.child("gate", wide, input);
            build.child("up", wide, input);
            build.child("down", narrow, between);
        } else {
            Shape between = build.child("gate", new SplitDense(wide, true, true, own, inner, width), input);
            build.child("up", new SplitDense(wide, true, true, own, inner, width), input);
            build.child("down", new SplitDense(narrow, false, true, own, width, inner), between);
        }
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return pass.child("down", Functions.silu(pass.child("gate", x)).mul(pass.child("up", x)));
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String gate = s.child("gate", in.get(0));
        String up = s.child("up", in.get(0));
        return s.child("down", s.let("torch.silu(" + gate + ") * " + up));
    }
}
