package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.array.Shape;
import dev.tutti.json.ShortForm;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The definition of one step of a model: what it learns and how it computes.
 *
 * <p>A layer holds settings only, never tensors, so the same definition can be built many times, shared between workers and
 * written as JSON. A layer of your own extends this class:
 *
 * <pre>{@code
 * public final class Scale extends Layer {
 *     protected Shape build(Shape input, Build build) {
 *         build.parameter("factor", Shape.of(input.dim(-1)), Initializer.ONES);
 *         return input;
 *     }
 *
 *     protected Tensor forward(Tensor x, Pass pass) {
 *         return x.mul(pass.parameter("factor"));
 *     }
 * }
 * }</pre>
 *
 * <p>Order of calls: {@link #build} once for each model, with shapes that do not count the batch; then {@link #forward} any
 * number of times, with the batch as first axis, also from several threads at once. Settings are private fields with defaults,
 * changed by fluent methods through {@link #copy}; {@code Json.register} gives the class its name in files.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonSubTypes({
    @JsonSubTypes.Type(value = Sequential.class, name = "sequential"),
    @JsonSubTypes.Type(value = Graph.class, name = "graph"),
    @JsonSubTypes.Type(value = Dense.class, name = "dense"),
    @JsonSubTypes.Type(value = Conv1d.class, name = "conv1d"),
    @JsonSubTypes.Type(value = Conv2d.class, name = "conv2d"),
    @JsonSubTypes.Type(value = ConvTranspose1d.class, name = "convTranspose1d"),
    @JsonSubTypes.Type(value = ConvTranspose2d.class, name = "convTranspose2d"),
    @JsonSubTypes.Type(value = MaxPool1d.class, name = "maxPool1d"),
    @JsonSubTypes.Type(value = MaxPool2d.class, name = "maxPool2d"),
    @JsonSubTypes.Type(value = AvgPool1d.class, name = "avgPool1d"),
    @JsonSubTypes.Type(value = AvgPool2d.class, name = "avgPool2d"),
    @JsonSubTypes.Type(value = GlobalMaxPool1d.class, name = "globalMaxPool1d"),
    @JsonSubTypes.Type(value = GlobalMaxPool2d.class, name = "globalMaxPool2d"),
    @JsonSubTypes.Type(value = GlobalAvgPool1d.class, name = "globalAvgPool1d"),
    @JsonSubTypes.Type(value = GlobalAvgPool2d.class, name = "globalAvgPool2d"),
    @JsonSubTypes.Type(value = Flatten.class, name = "flatten"),
    @JsonSubTypes.Type(value = Reshape.class, name = "reshape"),
    @JsonSubTypes.Type(value = Permute.class, name = "permute"),
    @JsonSubTypes.Type(value = Dropout.class, name = "dropout"),
    @JsonSubTypes.Type(value = BatchNorm.class, name = "batchNorm"),
    @JsonSubTypes.Type(value = LayerNorm.class, name = "layerNorm"),
    @JsonSubTypes.Type(value = Embedding.class, name = "embedding"),
    @JsonSubTypes.Type(value = PositionalEncoding.class, name = "positionalEncoding"),
    @JsonSubTypes.Type(value = Lstm.class, name = "lstm"),
    @JsonSubTypes.Type(value = Gru.class, name = "gru"),
    @JsonSubTypes.Type(value = Attention.class, name = "attention"),
    @JsonSubTypes.Type(value = TransformerEncoder.class, name = "transformerEncoder"),
    @JsonSubTypes.Type(value = Residual.class, name = "residual"),
    @JsonSubTypes.Type(value = Add.class, name = "add"),
    @JsonSubTypes.Type(value = Multiply.class, name = "multiply"),
    @JsonSubTypes.Type(value = Concatenate.class, name = "concatenate"),
    @JsonSubTypes.Type(value = ActivationLayer.class, name = "activation"),
    @JsonSubTypes.Type(value = TorchScript.class, name = "torchScript"),
})
public abstract class Layer implements Cloneable {
    static final String NAME_RULE = "a layer's name is letters, digits and underscores, a letter first";

    private String name;
    private Activation activation = Activation.NONE;

    /** Declares the parameters of the layer and returns the output shape for an input shape. */
    protected abstract Shape build(Shape input, BuildContext build);

    /** Computes the output of a batch. */
    protected abstract Tensor forward(Tensor x, ForwardContext pass);

    /**
     * Writes first values that no {@link Initializer} can draw, for instance from a file. Called once for each model, after the
     * parameters were drawn; a replica shares what is there.
     */
    protected void initialise(ForwardContext pass) {}

    /**
     * True when {@link #forward} always makes a new tensor that its own backward pass does not read, as products and
     * convolutions do: then the activation may overwrite it, which saves memory and time.
     */
    protected boolean isOutputFresh() {
        return false;
    }

    final Tensor activate(Activation function, Tensor output) {
        return isOutputFresh() ? function.applyOver(output) : function.apply(output);
    }

    /** For layers that take several inputs; see {@link MergeLayer}. */
    protected Shape build(List<Shape> inputs, BuildContext build) {
        if (inputs.size() != 1) {
            throw build.failure("takes one input, received " + inputs.size());
        }
        return build(inputs.get(0), build);
    }

    /** For layers that take several inputs; see {@link MergeLayer}. */
    protected Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return forward(inputs.get(0), pass);
    }

    /**
     * The same computation as TorchScript, for export to Python: writes lines and returns the name of the variable that holds
     * the output.
     */
    protected String script(List<String> inputs, ScriptWriter script) {
        throw new UnsupportedLayerException(script.path(), this);
    }

    /** The kind of layer, as in automatic names and printed summaries: {@code conv2d}. */
    public String kind() {
        String simple = getClass().getSimpleName();
        return simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
    }

    /** The name given by {@link #named}, or null: then the model numbers it, such as {@code dense2}. */
    public final String name() {
        return name;
    }

    public final Activation activation() {
        return activation;
    }

    /** The layer under a given name; its parameters are called {@code name.weight} and so on. */
    public Layer named(String newName) {
        if (!isName(newName)) {
            throw new IllegalArgumentException(NAME_RULE + ", received '" + newName + "'");
        }
        return copy(layer -> layer.name = newName);
    }

    static boolean isName(String text) {
        return text.matches("[A-Za-z][A-Za-z0-9_]*");
    }

    /** The layer followed by a function. */
    public Layer activation(Activation function) {
        return copy(layer -> layer.activation = function);
    }

    public Layer relu() {
        return activation(Activation.RELU);
    }

    public Layer gelu() {
        return activation(Activation.GELU);
    }

    public Layer silu() {
        return activation(Activation.SILU);
    }

    public Layer tanh() {
        return activation(Activation.TANH);
    }

    public Layer sigmoid() {
        return activation(Activation.SIGMOID);
    }

    public Layer softmax() {
        return activation(Activation.SOFTMAX);
    }

    /** A changed copy: how fluent settings are written, {@code return copy(c -> c.stride = stride)}. */
    @SuppressWarnings("unchecked")
    protected final <L extends Layer> L copy(Consumer<L> change) {
        try {
            L clone = (L) clone();
            change.accept(clone);
            return clone;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("layers are cloneable", e);
        }
    }

    @Override
    public String toString() {
        return kind();
    }
}
