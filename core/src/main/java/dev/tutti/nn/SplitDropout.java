package dev.tutti.nn;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Functions;
import dev.tutti.tensor.Tensor;

/** Dropout between two layers of a pair: draws for the whole width what the whole layer would, and takes its slice. */
final class SplitDropout extends FluentLayer<SplitDropout> {
    private final transient double rate;
    private final transient Range range;
    private final transient long width;

    SplitDropout(double rate, Range range, long width) {
        this.rate = rate;
        this.range = range;
        this.width = width;
    }

    @Override
    public String kind() {
        return "dropout";
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        Dropout.check(rate, build);
        return input;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        return pass.training() ? apply(x, rate, range, width, pass) : x;
    }

    static Tensor apply(Tensor x, double rate, Range range, long width, ForwardContext pass) {
        if (rate <= 0) {
            return x;
        }
        Tensor ones = Tensor.full(x.shape().with(-1, width), 1, x.type());
        Tensor mask = Functions.dropout(ones, rate, pass.randomness());
        return x.mul(mask.narrow(x.rank() - 1, range.from(), range.length()));
    }
}
