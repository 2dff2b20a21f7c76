package dev.tutti.tensor;

import static dev.tutti.tensor.Native.op;
import static dev.tutti.tensor.Native.optional;
import static dev.tutti.tensor.Native.scalar;

import java.util.List;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.global.torch;

/** The operations neural networks are made of, without state: weights come in as arguments. A null bias means none. */
public final class Functions {
    private Functions() {}

    /** How the elements of a loss are put together. */
    public enum Reduction {
        NONE,
        MEAN,
        SUM
    }

    /** Stride, padding and dilation of a window that slides over one or two axes. */
    public record Window(long[] stride, long[] padding, long[] dilation) {}

    // ---- layers

    /** {@code x * weightᵀ + bias}; the weight is {@code [out, in]}. */
    public static Tensor linear(Tensor x, Tensor weight, Tensor bias) {
        return op("linear", () -> torch.linear(x.handle(), weight.handle(), optional(bias)));
    }

    public static Tensor conv1d(Tensor x, Tensor weight, Tensor bias, Window window, long groups) {
        return op("conv1d", () -> torch.conv1d(
                x.handle(), weight.handle(), optional(bias), window.stride, window.padding, window.dilation, groups));
    }

    public static Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Window window, long groups) {
        return op("conv2d", () -> torch.conv2d(
                x.handle(), weight.handle(), optional(bias), window.stride, window.padding, window.dilation, groups));
    }

    public static Tensor convTranspose1d(
            Tensor x, Tensor weight, Tensor bias, Window window, long[] outputPadding, long groups) {
        return op("convTranspose1d", () -> torch.conv_transpose1d(
                x.handle(), weight.handle(), optional(bias), window.stride, window.padding, outputPadding, groups,
                window.dilation));
    }

    public static Tensor convTranspose2d(
            Tensor x, Tensor weight, Tensor bias, Window window, long[] outputPadding, long groups) {
        return op("convTranspose2d", () -> torch.conv_transpose2d(
                x.handle(), weight.handle(), optional(bias), window.stride, window.padding, outputPadding, groups,
                window.dilation));
    }

    public static Tensor maxPool1d(Tensor x, long[] size, Window window) {
        return op("maxPool1d", () -> torch.max_pool1d(
                x.handle(), size, window.stride, window.padding, window.dilation, false));
    }

    public static Tensor maxPool2d(Tensor x, long[] size, Window window) {
        return op("maxPool2d", () -> torch.max_pool2d(
                x.handle(), size, window.stride, window.padding, window.dilation, false));
    }

    public static Tensor avgPool1d(Tensor x, long[] size, Window window) {
        return op("avgPool1d", () -> torch.avg_pool1d(x.handle(), size, window.stride, window.padding, false, true));
    }

    public static Tensor avgPool2d(Tensor x, long[] size, Window window) {
        return op("avgPool2d", () -> torch.avg_pool2d(
                x.handle(), size, window.stride, window.padding, false, true, new LongOptional()));
    }

    /** Normalises over the batch; while training it also moves the running statistics, in place. */
    public static Tensor batchNorm(
            Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, boolean training, double momentum,
            double epsilon) {
        return op("batchNorm", () -> torch.batch_norm(
                x.handle(), optional(weight), optional(bias), optional(mean), optional(variance), training, momentum, epsilon,
                false));
    }

    /** Normalises over the last axes, those of {@code shape}. */
    public static Tensor layerNorm(Tensor x, Shape shape, Tensor weight, Tensor bias, double epsilon) {
        return op("layerNorm", () -> torch.layer_norm(
                x.handle(), shape.toArray(), optional(weight), optional(bias), epsilon, true));
    }

    /** Rows of the weight, picked by whole numbers. */
    public static Tensor embedding(Tensor ids, Tensor weight) {
        return op("embedding", () -> torch.embedding(weight.handle(), ids.handle()));
    }

    /**
     * A long short-term memory over {@code [batch, time, features]}; gives the outputs of all steps. The weights are
     * input, recurrent, input bias, recurrent bias, for each direction.
     */
    public static Tensor lstm(Tensor x, Tensor h0, Tensor c0, List<Tensor> weights, boolean bidirectional) {
        return op("lstm", () -> torch.lstm(
                        x.handle(), Native.vector(List.of(h0, c0)), Native.vector(weights), true, 1, 0.0, true, bidirectional, true)
                .get0());
    }

    /** A gated recurrent unit over {@code [batch, time, features]}; weights as for {@link #lstm}. */
    public static Tensor gru(Tensor x, Tensor h0, List<Tensor> weights, boolean bidirectional) {
        return op("gru", () -> torch.gru(
                        x.handle(), h0.handle(), Native.vector(weights), true, 1, 0.0, true, bidirectional, true)
                .get0());
    }

    /** Attention of {@code [batch, heads, time, width]}; the mask, when not null, is added to the scores. */
    public static Tensor attention(Tensor query, Tensor key, Tensor value, Tensor mask, boolean causal) {
        return op("attention", () -> torch.scaled_dot_product_attention(
                query.handle(), key.handle(), value.handle(), optional(mask), 0.0, causal, new DoubleOptional(), false));
    }

    /** Zeroes elements by the given chance and scales the others, so that the expected value stays. */
    public static Tensor dropout(Tensor x, double chance, Randomness randomness) {
        if (chance <= 0) {
            return x;
        }
        double keep = 1 - chance;
        Tensor mask = op("dropout", () -> torch.empty_like(x.handle()));
        randomness.bernoulli_(mask, keep);
        return x.mul(mask.mul_(1 / keep));
    }

    // ---- activations

    public static Tensor relu(Tensor x) {
        return op("relu", () -> torch.relu(x.handle()));
    }

    public static Tensor relu6(Tensor x) {
        return op("relu6", () -> torch.relu6(x.handle()));
    }

    public static Tensor leakyRelu(Tensor x, double slope) {
        return op("leakyRelu", () -> torch.leaky_relu(x.handle(), scalar(slope)));
    }

    public static Tensor elu(Tensor x) {
        return op("elu", () -> torch.elu(x.handle()));
    }

    public static Tensor selu(Tensor x) {
        return op("selu", () -> torch.selu(x.handle()));
    }

    public static Tensor gelu(Tensor x) {
        return op("gelu", () -> torch.gelu(x.handle()));
    }

    public static Tensor silu(Tensor x) {
        return op("silu", () -> torch.silu(x.handle()));
    }

    public static Tensor mish(Tensor x) {
        return op("mish", () -> torch.mish(x.handle()));
    }

    public static Tensor hardSwish(Tensor x) {
        return op("hardSwish", () -> torch.hardswish(x.handle()));
    }

    public static Tensor hardTanh(Tensor x) {
        return op("hardTanh", () -> torch.hardtanh(x.handle()));
    }

    public static Tensor softplus(Tensor x) {
        return op("softplus", () -> torch.softplus(x.handle()));
    }

    public static Tensor sigmoid(Tensor x) {
        return op("sigmoid", () -> torch.sigmoid(x.handle()));
    }

    public static Tensor tanh(Tensor x) {
        return op("tanh", () -> torch.tanh(x.handle()));
    }

    public static Tensor softmax(Tensor x, int axis) {
        return op("softmax", () -> torch.softmax(x.handle(), axis));
    }

    public static Tensor logSoftmax(Tensor x, int axis) {
        return op("logSoftmax", () -> torch.log_softmax(x.handle(), axis));
    }

    // ---- losses

    /**
     * Of logits {@code [batch, classes, ...]} and class ids, or probabilities of the logits' shape. Where the id is
     * {@code ignored} nothing counts.
     */
    public static Tensor crossEntropy(
            Tensor logits, Tensor target, Tensor classWeights, long ignored, double smoothing, Reduction reduction) {
        return op("crossEntropy", () -> torch.cross_entropy_loss(
                logits.handle(), target.handle(), optional(classWeights), reduction.ordinal(), ignored, smoothing));
    }

    public static Tensor binaryCrossEntropy(Tensor logits, Tensor target, Tensor positiveWeight, Reduction reduction) {
        return op("binaryCrossEntropy", () -> torch.binary_cross_entropy_with_logits(
                logits.handle(), target.handle(), optional((Tensor) null), optional(positiveWeight), reduction.ordinal()));
    }

    public static Tensor squaredError(Tensor prediction, Tensor target, Reduction reduction) {
        return op("squaredError", () -> torch.mse_loss(prediction.handle(), target.handle(), reduction.ordinal()));
    }

    public static Tensor absoluteError(Tensor prediction, Tensor target, Reduction reduction) {
        return op("absoluteError", () -> torch.l1_loss(prediction.handle(), target.handle(), reduction.ordinal()));
    }

    public static Tensor huber(Tensor prediction, Tensor target, double delta, Reduction reduction) {
        return op("huber", () -> torch.huber_loss(prediction.handle(), target.handle(), reduction.ordinal(), delta));
    }
}
