package dev.tutti.tensor;

import static dev.tutti.tensor.NativeConversions.call;
import static dev.tutti.tensor.NativeConversions.op;
import static dev.tutti.tensor.NativeConversions.optional;
import static dev.tutti.tensor.NativeConversions.scalar;

import dev.tutti.array.Shape;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.MemoryFormatOptional;
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

    /** 1 where an element differs from a value, 0 where it is the value. */
    public static Tensor differs(Tensor x, double value, dev.tutti.array.DType type) {
        return op("differs", () -> torch.ne(x.handle(), scalar(value))).to(type);
    }

    /** {@code x * weightᵀ + bias}; the weight is {@code [out, in]}. */
    public static Tensor linear(Tensor x, Tensor weight, Tensor bias) {
        return op("linear", () -> torch.linear(x.handle(), weight.handle(), optional(bias)));
    }

    public static Tensor conv1d(Tensor x, Tensor weight, Tensor bias, Window window, long groups) {
        return op(
                "conv1d",
                () -> torch.conv1d(
                        x.handle(),
                        weight.handle(),
                        optional(bias),
                        window.stride,
                        window.padding,
                        window.dilation,
                        groups));
    }

    public static Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Window window, long groups) {
        return op(
                "conv2d",
                () -> torch.conv2d(
                        x.handle(),
                        weight.handle(),
                        optional(bias),
                        window.stride,
                        window.padding,
                        window.dilation,
                        groups));
    }

    public static Tensor convTranspose1d(
            Tensor x, Tensor weight, Tensor bias, Window window, long[] outputPadding, long groups) {
        return op(
                "convTranspose1d",
                () -> torch.conv_transpose1d(
                        x.handle(),
                        weight.handle(),
                        optional(bias),
                        window.stride,
                        window.padding,
                        outputPadding,
                        groups,
                        window.dilation));
    }

    public static Tensor convTranspose2d(
            Tensor x, Tensor weight, Tensor bias, Window window, long[] outputPadding, long groups) {
        return op(
                "convTranspose2d",
                () -> torch.conv_transpose2d(
                        x.handle(),
                        weight.handle(),
                        optional(bias),
                        window.stride,
                        window.padding,
                        outputPadding,
                        groups,
                        window.dilation));
    }

    public static Tensor maxPool1d(Tensor x, long[] size, Window window) {
        return op(
                "maxPool1d",
                () -> torch.max_pool1d(x.handle(), size, window.stride, window.padding, window.dilation, false));
    }

    public static Tensor maxPool2d(Tensor x, long[] size, Window window) {
        return op(
                "maxPool2d",
                () -> torch.max_pool2d(x.handle(), size, window.stride, window.padding, window.dilation, false));
    }

    public static Tensor avgPool1d(Tensor x, long[] size, Window window) {
        return op("avgPool1d", () -> torch.avg_pool1d(x.handle(), size, window.stride, window.padding, false, true));
    }

    public static Tensor avgPool2d(Tensor x, long[] size, Window window) {
        return op(
                "avgPool2d",
                () -> torch.avg_pool2d(
                        x.handle(), size, window.stride, window.padding, false, true, new LongOptional()));
    }

    /** Normalises over the batch; while training it also moves the running statistics, in place. */
    public static Tensor batchNorm(
            Tensor x,
            Tensor weight,
            Tensor bias,
            Tensor mean,
            Tensor variance,
            boolean training,
            double momentum,
            double epsilon) {
        return op(
                "batchNorm",
                () -> torch.batch_norm(
                        x.handle(),
                        optional(weight),
                        optional(bias),
                        optional(mean),
                        optional(variance),
                        training,
                        momentum,
                        epsilon,
                        false));
    }

    /**
     * Adds up what several workers have, each on its own thread; the gradients that come back are added up as well.
     *
     * @param sum adds a tensor to those of the other workers, in place; must not throw
     */
    public static Tensor sharedSum(Tensor own, Consumer<Tensor> sum) {
        return DifferentiableSum.of(own, sum);
    }

    /**
     * The same tensor, whose gradient is summed over several workers on the way back, where each of them uses it for a part of what
     * follows.
     *
     * @param sum adds up a tensor with those of the other workers, in place, in the backward pass; must not throw
     */
    public static Tensor sharedGradient(Tensor same, Consumer<Tensor> sum) {
        return DifferentiableSum.ofGradients(same, sum);
    }

    /** Normalises over the last axes, those of {@code shape}. */
    public static Tensor layerNorm(Tensor x, Shape shape, Tensor weight, Tensor bias, double epsilon) {
        return op(
                "layerNorm",
                () -> torch.layer_norm(x.handle(), shape.toArray(), optional(weight), optional(bias), epsilon, true));
    }

    /** Rows of the weight, picked by whole numbers; the row {@code paddingId} does not learn, -1 means that all do. */
    public static Tensor embedding(Tensor ids, Tensor weight, long paddingId) {
        return op("embedding", () -> torch.embedding(weight.handle(), ids.handle(), paddingId, false, false));
    }

    /**
     * What a recurrent network gives: the outputs {@code [batch, time, directions * units]} of the last layer at all steps, and
     * the state {@code [layers * directions, batch, units]} that each direction of each layer ends with.
     */
    public record Recurrence(Tensor outputs, Tensor last) {}

    /**
     * A long short-term memory over {@code [batch, time, features]}, from states {@code [layers * directions, batch, units]}.
     * The weights are input, recurrent, input bias, recurrent bias, for each direction of each layer.
     */
    public static Recurrence lstm(
            Tensor x, Tensor h0, Tensor c0, Collection<Tensor> weights, int layers, boolean bidirectional) {
        return call("lstm", () -> {
            var out = torch.lstm(
                    x.handle(),
                    NativeConversions.vector(List.of(h0, c0)),
                    NativeConversions.vector(weights),
                    true,
                    layers,
                    0.0,
                    false,
                    bidirectional,
                    true);
            return new Recurrence(new Tensor(out.get0()), new Tensor(out.get1()));
        });
    }

    /** Gated recurrent units over {@code [batch, time, features]}; state and weights as for {@link #lstm}. */
    public static Recurrence gru(Tensor x, Tensor h0, Collection<Tensor> weights, int layers, boolean bidirectional) {
        return call("gru", () -> {
            var out = torch.gru(
                    x.handle(),
                    h0.handle(),
                    NativeConversions.vector(weights),
                    true,
                    layers,
                    0.0,
                    false,
                    bidirectional,
                    true);
            return new Recurrence(new Tensor(out.get0()), new Tensor(out.get1()));
        });
    }

    /** Attention of {@code [batch, heads, time, width]}; causal means that no step sees a later one. */
    public static Tensor attention(Tensor query, Tensor key, Tensor value, boolean causal) {
        return op(
                "attention",
                () -> torch.scaled_dot_product_attention(
                        query.handle(),
                        key.handle(),
                        value.handle(),
                        optional((Tensor) null),
                        0.0,
                        causal,
                        new DoubleOptional(),
                        false));
    }

    /** Attention with numbers that are added to the scores, such as minus infinity for what must not be seen. */
    public static Tensor attention(Tensor query, Tensor key, Tensor value, Tensor bias) {
        return op(
                "attention",
                () -> torch.scaled_dot_product_attention(
                        query.handle(),
                        key.handle(),
                        value.handle(),
                        optional(bias),
                        0.0,
                        false,
                        new DoubleOptional(),
                        false));
    }

    /** The same with weights that are dropped by chance. */
    public static Tensor attention(
            Tensor query, Tensor key, Tensor value, Tensor bias, double dropout, Randomness randomness) {
        Tensor scores = query.mul(1 / Math.sqrt(query.dim(-1))).matmul(key.transpose(-2, -1));
        return dropout(softmax(scores.add(bias), -1), dropout, randomness).matmul(value);
    }

    /** What is added to the scores of attention so that no step sees a later one: {@code [steps, steps]}. */
    public static Tensor causalBias(Tensor scoresLike, long steps) {
        return causalMask(Tensor.zeros(Shape.of(steps, steps), scoresLike.type(), scoresLike.device()));
    }

    /**
     * Attention whose weights are dropped by chance. Written out, because the engine's own kernel draws from a stream of random
     * numbers that all workers share.
     */
    public static Tensor attention(
            Tensor query, Tensor key, Tensor value, boolean causal, double dropout, Randomness randomness) {
        Tensor scores = query.mul(1 / Math.sqrt(query.dim(-1))).matmul(key.transpose(-2, -1));
        Tensor seen = causal ? scores.add(causalMask(scores)) : scores;
        return dropout(softmax(seen, -1), dropout, randomness).matmul(value);
    }

    /** Minus infinity above the diagonal, zero elsewhere. */
    private static Tensor causalMask(Tensor scores) {
        Shape square = Shape.of(scores.dim(-2), scores.dim(-1));
        Tensor blocked =
                Tensor.full(square, Double.NEGATIVE_INFINITY, scores.type()).to(scores.device());
        return op("causalMask", () -> blocked.handle().triu(1));
    }

    /** Zeroes elements by the given chance and scales the others, so that the expected value stays. */
    public static Tensor dropout(Tensor x, double chance, Randomness randomness) {
        if (chance <= 0) {
            return x;
        }
        double keep = 1 - chance;
        // In the order of the axes, for any layout: a layer that is cut off from others may see another layout.
        Tensor mask = op(
                "dropout",
                () -> torch.empty(
                        x.shape().toArray(),
                        NativeConversions.options(x.type(), x.device()),
                        new MemoryFormatOptional()));
        randomness.bernoulli_(mask, keep);
        return x.mul(mask.mul_(1 / keep));
    }

    // ---- activations

    public static Tensor relu(Tensor x) {
        return op("relu", () -> torch.relu(x.handle()));
    }

    /** The same in place: the tensor itself is changed and returned. */
    public static Tensor relu_(Tensor x) {
        NativeConversions.run("relu_", () -> torch.relu_(x.handle()));
        return x;
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

    /** The approximation of GELU by a hyperbolic tangent, as GPT-2 has it. */
    public static Tensor geluTanh(Tensor x) {
        return op("geluTanh", () -> torch.gelu(x.handle(), "tanh"));
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

    public static Tensor hardSigmoid(Tensor x) {
        return op("hardSigmoid", () -> torch.hardsigmoid(x.handle()));
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
        return op(
                "crossEntropy",
                () -> torch.cross_entropy_loss(
                        logits.handle(),
                        target.handle(),
                        optional(classWeights),
                        reduction.ordinal(),
                        ignored,
                        smoothing));
    }

    public static Tensor binaryCrossEntropy(Tensor logits, Tensor target, Tensor positiveWeight, Reduction reduction) {
        return op(
                "binaryCrossEntropy",
                () -> torch.binary_cross_entropy_with_logits(
                        logits.handle(),
                        target.handle(),
                        optional((Tensor) null),
                        optional(positiveWeight),
                        reduction.ordinal()));
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
