package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** While training, forgets each element by chance, so that the others learn to do without it. */
public final class Dropout extends FluentLayer<Dropout> {
    private double rate = 0.5;

    private Dropout() {}

    Dropout(double rate) {
        this.rate = rate;
    }

    double rate() {
        return rate;
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        check(rate, build);
        return input;
    }

    static void check(double rate, BuildContext build) {
        build.require(rate >= 0 && rate < 1, "needs a dropout rate of at least 0 and below 1, received " + rate);
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return pass.training() ? Functions.dropout(x, rate, pass.randomness()) : x;
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        return s.let("torch.dropout(" + in.get(0) + ", " + rate + ", self.training)");
    }
}
