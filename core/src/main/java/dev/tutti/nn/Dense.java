package dev.tutti.nn;

import static dev.tutti.nn.Initializer.FAN_IN;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.List;

/** Every output is connected to every input; works on the last axis. */
public final class Dense extends FluentLayer<Dense> {
    private int units;
    private boolean bias = true;
    private Initializer init = FAN_IN;
    private LowRankAdapter lora;

    private Dense() {}

    Dense(int units) {
        this.units = units;
    }

    public Dense noBias() {
        return copy(c -> c.bias = false);
    }

    public Dense init(Initializer initializer) {
        return copy(c -> c.init = initializer);
    }

    /** The layer with an adapter that learns in place of its weight; freeze the weight. */
    public Dense lora(LowRankAdapter adapter) {
        return copy(c -> c.lora = adapter);
    }

    boolean hasAdapter() {
        return lora != null;
    }

    boolean hasBias() {
        return bias;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        build.require(units > 0, "needs units of at least 1, received " + units);
        if (input.rank() < 1 || input.dim(-1) == Shape.ANY) {
            throw build.expected("a last axis of known length", input);
        }
        if (input.rank() > 2) {
            throw build.expected("[features] or [time, features] (put a flatten() before it)", input);
        }
        long in = input.dim(-1);
        build.parameter("weight", Shape.of(units, in), init);
        if (bias) {
            build.parameter(
                    "bias",
                    Shape.of(units),
                    init == FAN_IN ? FAN_IN : Initializer.ZEROS,
                    in,
                    units,
                    ParameterLayout.PLAIN);
        }
        if (lora != null) {
            lora.build("", units, in, build);
        }
        return input.with(-1, units);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor product = pass.product("weight", x, pass.parameter("weight"), bias ? pass.parameter("bias") : null);
        return lora == null
                ? product
                : product.add(lora.forward(x, pass.parameter(LowRankAdapter.A), pass.parameter(LowRankAdapter.B)));
    }

    @Override
    protected boolean isOutputFresh() {
        return true;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String weight = lora == null
                ? s.self("weight")
                : s.let(lora.script(s.self("weight"), s.self(LowRankAdapter.A), s.self(LowRankAdapter.B)));
        return s.let("torch.linear(" + in.get(0) + ", " + weight + ", " + (bias ? s.self("bias") : "None") + ")");
    }
}
