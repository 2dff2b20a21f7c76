package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Layers one after the other under their names: what {@link Sequential} and {@link Residual} are made of. */
record Chain(List<Layer> layers, List<String> names, FusionPlan shortcuts) {
    static Chain of(List<Layer> layers) {
        List<String> names = names(layers);
        return new Chain(layers, names, FusionPlan.of(layers, names));
    }

    /** Those without a name are numbered by kind, past the names that are taken. */
    private static List<String> names(List<Layer> layers) {
        Set<String> taken = new HashSet<>();
        layers.forEach(layer -> layer.name().ifPresent(taken::add));
        Map<String, Integer> counts = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (Layer layer : layers) {
            String name = layer.name().orElse(null);
            while (name == null || (layer.name().isEmpty() && taken.contains(name))) {
                name = layer.kind() + counts.merge(layer.kind(), 1, Integer::sum);
            }
            names.add(name);
        }
        return names;
    }

    /** The last layer's name: where the output comes from. */
    String last() {
        return names.get(names.size() - 1);
    }

    Shape build(List<Shape> inputs, BuildContext build) {
        build.require(!layers.isEmpty(), "has no layers");
        List<Shape> shapes = inputs;
        List<String> from = build.sources();
        for (int i = 0; i < layers.size(); i++) {
            shapes = List.of(build.child(names.get(i), layers.get(i), shapes, from));
            from = List.of(names.get(i));
        }
        return shapes.get(0);
    }

    Tensor forward(List<Tensor> inputs, ForwardContext pass) {
        return pass.optimised() && inputs.size() == 1
                ? shortcuts.forward(inputs.get(0), pass)
                : forwardAsWritten(inputs, pass);
    }

    private Tensor forwardAsWritten(List<Tensor> inputs, ForwardContext pass) {
        Tensor x = pass.child(names.get(0), inputs);
        for (int i = 1; i < names.size(); i++) {
            x = pass.child(names.get(i), x);
        }
        return x;
    }

    String script(List<String> inputs, ScriptWriter script) {
        List<String> values = inputs;
        for (String name : names) {
            values = script.childAll(name, values);
        }
        return values.get(0);
    }
}
