package dev.tutti.loss;

import java.util.List;

/** The losses, to be imported statically: {@code softmaxCrossEntropy().labelSmoothing(0.1)}. */
public final class Losses {
    private Losses() {}

    /** For one of several classes. */
    public static SoftmaxCrossEntropy softmaxCrossEntropy() {
        return new SoftmaxCrossEntropy();
    }

    /** For yes or no. */
    public static BinaryCrossEntropy binaryCrossEntropy() {
        return new BinaryCrossEntropy();
    }

    /** The mean squared error. */
    public static MeanSquaredError mse() {
        return new MeanSquaredError();
    }

    /** The mean absolute error. */
    public static MeanAbsoluteError mae() {
        return new MeanAbsoluteError();
    }

    /** Squared up to a difference of {@code delta}, absolute beyond. */
    public static Huber huber(double delta) {
        return new Huber(delta);
    }

    /** One loss for each output of the model; {@link PerOutput#weights} sets the weight of each. */
    public static PerOutput perOutput(Loss... losses) {
        return new PerOutput(List.of(losses));
    }
}
