package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.List;
import java.util.Map;

/**
 * Draws what parameters and buffers begin with.
 *
 * <p>Each has a stream of its own, by seed and name: a layer more or less does not change what the others get, and a part of a model
 * begins with the values that the whole would.
 */
final class InitialValues {
    private InitialValues() {}

    static void draw(List<Parameter> parameters, FlatVector target, long seed) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin();
                Randomness random = new Randomness(0)) {
            for (Parameter p : parameters) {
                random.restart(seed, p.name().hashCode());
                p.initializer().fill(target.view(p.range(), p.shape(), p.layout()), p.fanIn(), p.fanOut(), random);
            }
        }
    }

    /**
     * What one parameter or buffer of a model begins with; no memory is needed but for the layer it belongs to.
     *
     * @return belongs to the open scope
     */
    static Tensor of(Blueprint blueprint, String name, Model.Options options) {
        Blueprint.Node layer = owner(blueprint.root, name);
        if (layer == null) {
            throw new IllegalArgumentException("the model has no parameter or buffer '" + name + "'");
        }
        Blueprint alone = blueprint.alone(layer);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin();
                FlatVector values = new FlatVector(alone.parameterCount(), options.type(), options.device());
                FlatVector state = new FlatVector(alone.bufferCount(), options.type(), options.device())) {
            draw(alone.parameters, values, options.seed());
            draw(alone.buffers, state, options.seed());
            ForwardContext.Mode mode = new ForwardContext.Mode(options.asWritten());
            ForwardContext pass = new ForwardContext(alone.root, values, state, false, mode);
            try {
                pass.initialise();
                String own = name.substring(layer.path.isEmpty() ? 0 : layer.path.length() + 1);
                Tensor drawn = layer.parameters.containsKey(own) ? pass.parameter(own) : pass.buffer(own);
                Tensor copy = Tensor.zeros(drawn.shape(), drawn.type(), drawn.device());
                return scope.keep(copy.copy_(drawn));
            } finally {
                pass.close();
                mode.randomness.close();
            }
        }
    }

    /** The layer that has declared a parameter or buffer. */
    private static Blueprint.Node owner(Blueprint.Node node, String name) {
        if (declares(node.parameters, name) || declares(node.buffers, name)) {
            return node;
        }
        for (Blueprint.Node child : node.children.values()) {
            Blueprint.Node found = owner(child, name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static boolean declares(Map<String, Parameter> declared, String name) {
        return declared.values().stream().anyMatch(p -> p.name().equals(name));
    }

    /** Overwrites what a slice begins with by the values of the whole parameter. */
    static void copySlice(Slice slice, Tensor whole, Tensor into) {
        Shape expected = slice.shape();
        if (!into.shape().equals(expected)) {
            throw new IllegalArgumentException(
                    "the slice " + slice + " has the shape " + expected + ", received " + into.shape());
        }
        try (NoGradients off = NoGradients.begin()) {
            into.copy_(slice.of(whole));
        }
    }
}
