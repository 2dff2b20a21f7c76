package dev.tutti.nn;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.array.Shape;
import dev.tutti.json.Definition;
import dev.tutti.json.ShortForm;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The definition of one step of a model: what it learns and how it computes.
 *
 * <p>A layer holds settings only, never tensors, so the same definition can be built many times, shared between workers and
 * written as JSON. A layer of your own extends {@link FluentLayer}, whose settings return the type of the layer:
 *
 * <pre>{@code
 * public final class Scale extends FluentLayer<Scale> {
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
public abstract class Layer extends Definition {
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

    /** The name given by {@link #named}; without one the model numbers the layer, such as {@code dense2}. */
    public final Optional<String> name() {
        return Optional.ofNullable(name);
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

    @Override
    public String toString() {
        return kind();
    }
}
