package dev.tutti.nn;

import dev.tutti.array.DType;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Set;

/**
 * Which layers compute in a short type (bfloat16 or float16), as the lists of the peers' autocast have it.
 *
 * <ul>
 *   <li>{@link #SHORT}: layers that multiply matrices get their inputs and their parameters in the short type, and give it.
 *   <li>{@link #EITHER}: layers that move, choose or add values, and those that only hand on to inner layers, take what comes.
 *   <li>{@link #FULL}: all others, also those of users, get float32: norms, embeddings, sums over many values.
 * </ul>
 */
enum LayerPrecision {
    SHORT,
    EITHER,
    FULL;

    private static final Set<Class<?>> MULTIPLYING = Set.of(
            Dense.class,
            Conv1d.class,
            Conv2d.class,
            ConvTranspose1d.class,
            ConvTranspose2d.class,
            Attention.class,
            Lstm.class,
            Gru.class);

    private static final Set<Class<?>> TAKING_EITHER = Set.of(
            Sequential.class,
            Graph.class,
            Residual.class,
            TransformerEncoder.class,
            SwiGlu.class,
            Experts.class,
            TiedEmbedding.class,
            TiedDense.class,
            ModelChunks.class,
            ActivationLayer.class,
            Dropout.class,
            Flatten.class,
            Reshape.class,
            Permute.class,
            MaxPool1d.class,
            MaxPool2d.class,
            GlobalMaxPool1d.class,
            GlobalMaxPool2d.class,
            Add.class);

    static LayerPrecision of(Layer layer) {
        if (MULTIPLYING.contains(layer.getClass())) {
            return SHORT;
        }
        return TAKING_EITHER.contains(layer.getClass()) ? EITHER : FULL;
    }

    /** Inputs as a layer takes them; whole numbers stay what they are. */
    List<Tensor> typed(List<Tensor> inputs, DType shortType) {
        return switch (this) {
            case SHORT -> inputs.stream().map(x -> to(x, shortType)).toList();
            case FULL -> inputs.stream().map(x -> to(x, DType.FLOAT32)).toList();
            case EITHER -> inputs;
        };
    }

    /** A float32 value rounded to what fp16 can tell; so is its gradient. Beyond 65,504 it is infinite. */
    static Tensor rounded(Tensor x) {
        return x.type() == DType.FLOAT32 ? x.to(DType.FLOAT16).to(DType.FLOAT32) : x;
    }

    static Tensor to(Tensor x, DType type) {
        DType now = x.type();
        return now.isFloating() && now != type ? x.to(type) : x;
    }
}
