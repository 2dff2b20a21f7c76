package dev.tutti.serve.model;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.data.transform.Cast;
import dev.tutti.data.transform.Normalize;
import dev.tutti.data.transform.Scale;
import dev.tutti.data.transform.Transform;
import dev.tutti.nn.Input;
import dev.tutti.nn.ModelPlan;
import dev.tutti.serve.ServeException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What goes into a served model and what comes out: {@code input} and {@code output}, numbered where there are several. */
public record ModelSignature(List<TensorSpec> inputs, List<TensorSpec> outputs) {
    static ModelSignature of(ModelPlan model, List<Transform> features) {
        boolean exact = features.stream()
                .allMatch(one -> one instanceof Scale || one instanceof Normalize || one instanceof Cast);
        List<TensorSpec> inputs = new ArrayList<>();
        for (int i = 0; i < model.inputs().size(); i++) {
            Input input = model.inputs().get(i);
            inputs.add(new TensorSpec(name("input", i, model.inputs().size()), input.shape(), input.type(), exact));
        }
        List<TensorSpec> outputs = new ArrayList<>();
        for (int i = 0; i < model.outputs().size(); i++) {
            Shape shape = model.outputs().get(i);
            DType type = model.options().type();
            outputs.add(new TensorSpec(name("output", i, model.outputs().size()), shape, type, true));
        }
        return new ModelSignature(List.copyOf(inputs), List.copyOf(outputs));
    }

    private static String name(String stem, int place, int count) {
        return count == 1 ? stem : stem + "_" + place;
    }

    /**
     * The place of an input by its name.
     *
     * @throws ServeException if there is no such input; it lists those there are
     */
    public int input(String name) {
        return place(inputs, name, "input");
    }

    /** The place of an output by its name. */
    public int output(String name) {
        return place(outputs, name, "output");
    }

    private static int place(List<TensorSpec> among, String name, String kind) {
        for (int i = 0; i < among.size(); i++) {
            if (among.get(i).name().equals(name)) {
                return i;
            }
        }
        throw ServeException.invalid("the model has no " + kind + " '" + shortened(name) + "': expected "
                + among.stream().map(TensorSpec::name).collect(Collectors.joining(", ")));
    }

    private static String shortened(String name) {
        return name.length() > 64 ? name.substring(0, 64) + "..." : name;
    }
}
