package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Adds what its layers make of the input to the input itself, so that deep models learn: {@code x + body(x)}.
 *
 * <p>Where the layers change the shape, a {@link #shortcut} brings the input to the same one.
 */
public final class Residual extends FluentLayer<Residual> {
    private List<Layer> layers = List.of();
    private Layer shortcut;
    private transient Chain chain;

    private Residual() {}

    Residual(List<Layer> layers) {
        this.layers = List.copyOf(layers);
    }

    /** A layer on the way past, often {@code conv2d(filters, 1).stride(2)}. */
    public Residual shortcut(Layer layer) {
        return copy(c -> c.shortcut = layer);
    }

    List<Layer> layers() {
        return layers;
    }

    /** Other layers in the same places. */
    Residual withLayers(List<Layer> others, UnaryOperator<Layer> ofShortcut) {
        return copy(c -> {
            c.layers = List.copyOf(others);
            c.shortcut = shortcut == null ? null : ofShortcut.apply(shortcut);
            c.chain = null;
        });
    }

    @Override
    protected Shape build(Shape input, BuildContext build) {
        Shape body = chain().build(List.of(input), build);
        Shape past = shortcut == null ? input : build.child("shortcut", shortcut, input);
        String source = shortcut == null ? String.join(" and ", build.sources()) : "its shortcut";
        build.require(
                body.matches(past),
                "adds " + body + " from " + chain().last() + " to " + past + " from " + source
                        + ": both must have one shape" + (shortcut == null ? ", or give it a shortcut(...)" : ""));
        return body;
    }

    @Override
    protected Tensor forward(Tensor x, ForwardContext pass) {
        Tensor past = shortcut == null ? x : pass.child("shortcut", x);
        return pass.aside(() -> chain().forward(List.of(x), pass)).add(past);
    }

    @Override
    protected String script(List<String> in, ScriptWriter s) {
        String past = shortcut == null ? in.get(0) : s.child("shortcut", in.get(0));
        return s.let(chain().script(in, s) + " + " + past);
    }

    private Chain chain() {
        if (chain == null) {
            chain = Chain.of(layers);
        }
        return chain;
    }
}
