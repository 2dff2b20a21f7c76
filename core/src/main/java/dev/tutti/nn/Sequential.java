package dev.tutti.nn;

import dev.tutti.tensor.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Layers one after the other. Those without a name are numbered by kind: {@code conv2d1}, {@code conv2d2}, {@code dense1}. */
public final class Sequential extends Layer {
    private List<Layer> layers = List.of();
    private transient List<String> names;

    private Sequential() {}

    public static Sequential of(Layer... layers) {
        return of(List.of(layers));
    }

    public static Sequential of(List<Layer> layers) {
        Sequential sequential = new Sequential();
        sequential.layers = List.copyOf(layers);
        return sequential;
    }

    public List<Layer> layers() {
        return layers;
    }

    /** These layers and one more. */
    public Sequential add(Layer layer) {
        List<Layer> more = new ArrayList<>(layers);
        more.add(layer);
        return copy(c -> {
            c.layers = List.copyOf(more);
            c.names = null;
        });
    }

    @Override
    protected Shape build(Shape input, Build build) {
        return build(List.of(input), build);
    }

    @Override
    protected Shape build(List<Shape> inputs, Build build) {
        build.require(!layers.isEmpty(), "has no layers");
        List<Shape> shapes = inputs;
        List<String> from = build.sources();
        List<String> labels = names();
        for (int i = 0; i < layers.size(); i++) {
            shapes = List.of(build.child(labels.get(i), layers.get(i), shapes, from));
            from = List.of(labels.get(i));
        }
        return shapes.get(0);
    }

    @Override
    protected Tensor forward(Tensor x, Pass pass) {
        return forward(List.of(x), pass);
    }

    @Override
    protected Tensor forward(List<Tensor> inputs, Pass pass) {
        List<String> labels = names();
        Tensor x = pass.child(labels.get(0), inputs);
        for (int i = 1; i < labels.size(); i++) {
            x = pass.child(labels.get(i), x);
        }
        return x;
    }

    @Override
    protected String script(List<String> inputs, ScriptWriter script) {
        List<String> values = inputs;
        for (String name : names()) {
            values = script.childAll(name, values);
        }
        return values.get(0);
    }

    private List<String> names() {
        if (names == null) {
            Map<String, Integer> counts = new HashMap<>();
            names = layers.stream()
                    .map(layer -> layer.name() != null
                            ? layer.name()
                            : layer.kind() + counts.merge(layer.kind(), 1, Integer::sum))
                    .toList();
        }
        return names;
    }
}
