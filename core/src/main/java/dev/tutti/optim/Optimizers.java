package dev.tutti.optim;

/** The optimizers, to be imported statically: {@code adam(1e-3).schedule(cosine().warmup(500)).clipNorm(1)}. */
public final class Optimizers {
    private Optimizers() {}

    public static Sgd sgd(double learningRate) {
        return Sgd.defaults().learningRate(learningRate);
    }

    public static Adam adam(double learningRate) {
        return Adam.defaults().learningRate(learningRate);
    }

    /** Decays weights by 0.01 unless told otherwise. */
    public static AdamW adamW(double learningRate) {
        return AdamW.defaults().learningRate(learningRate);
    }

    public static Adagrad adagrad(double learningRate) {
        return Adagrad.defaults().learningRate(learningRate);
    }

    public static Rmsprop rmsprop(double learningRate) {
        return Rmsprop.defaults().learningRate(learningRate);
    }

    /** Its rate is usually a third to a tenth of Adam's, its weight decay three to ten times as high. */
    public static Lion lion(double learningRate) {
        return Lion.defaults().learningRate(learningRate);
    }
}
