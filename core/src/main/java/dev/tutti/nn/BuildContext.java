package dev.tutti.nn;

import dev.tutti.array.Shape;
import dev.tutti.table.FirstValues;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.vector.ParameterLayout;
import java.util.List;

/** What a layer talks to while it is built: here it declares its parameters, buffers and inner layers. */
public final class BuildContext {
    private final Blueprint blueprint;
    private final Blueprint.Node node;
    private final List<String> sources;

    BuildContext(Blueprint blueprint, Blueprint.Node node, List<String> sources) {
        this.blueprint = blueprint;
        this.node = node;
        this.sources = sources;
    }

    /** A parameter whose elements each connect as many inputs and outputs as a matrix {@code [out, in]} would. */
    public void parameter(String name, Shape shape, Initializer initializer) {
        long fanIn = shape.rank() < 2 ? shape.size() : shape.from(1).size();
        long fanOut = shape.rank() < 1 ? 1 : shape.dim(0);
        parameter(name, shape, initializer, fanIn, fanOut, ParameterLayout.PLAIN);
    }

    /** Declares a parameter in full: its shape, how it begins, and how it lies in the vector. */
    public void parameter(
            String name, Shape shape, Initializer initializer, long fanIn, long fanOut, ParameterLayout layout) {
        var parameter = new Parameter(
                node.qualified(name),
                shape,
                Blueprint.next(blueprint.parameters, shape),
                layout,
                initializer,
                fanIn,
                fanOut);
        if (node.parameters.putIfAbsent(name, parameter) != null || node.buffers.containsKey(name)) {
            throw new IllegalArgumentException("parameter " + parameter.name() + " is declared twice");
        }
        blueprint.parameters.add(parameter);
    }

    /**
     * Uses a parameter that another layer has declared. A part of a model that does not have that layer holds the parameter too.
     *
     * @param full the parameter's full name
     */
    void shared(String name, String full, Shape shape) {
        Parameter parameter = blueprint.parameters.stream()
                .filter(p -> p.name().equals(full))
                .findFirst()
                .orElseGet(() -> {
                    Parameter borrowed = new Parameter(
                            full,
                            shape,
                            Blueprint.next(blueprint.parameters, shape),
                            ParameterLayout.PLAIN,
                            Initializer.ZEROS,
                            1,
                            1);
                    blueprint.parameters.add(borrowed);
                    blueprint.borrowed.add(full);
                    return borrowed;
                });
        require(parameter.shape().equals(shape), "needs " + full + " as " + shape + ", but it is " + parameter.shape());
        node.parameters.put(name, parameter);
    }

    /** Declares numbers that are kept with the model but not learned, such as running statistics. */
    public void buffer(String name, Shape shape, Initializer initializer) {
        var buffer = new Parameter(
                node.qualified(name),
                shape,
                Blueprint.next(blueprint.buffers, shape),
                ParameterLayout.PLAIN,
                initializer,
                1,
                1);
        if (node.buffers.putIfAbsent(name, buffer) != null || node.parameters.containsKey(name)) {
            throw new IllegalArgumentException("buffer " + buffer.name() + " is declared twice");
        }
        blueprint.buffers.add(buffer);
    }

    /** Declares a table of rows that are made on first use; a layer has one at most. */
    public void table(int width, FirstValues first) {
        require(node.table == null, "declares two tables: expected one");
        node.table = new TableSpec(node.path.isEmpty() ? node.layer.kind() : node.path, width, first, 0);
        blueprint.tables.add(node.table);
    }

    /** Builds a layer inside this one; its input comes from where this layer's input comes from. */
    public Shape child(String name, Layer layer, Shape... inputs) {
        return child(name, layer, List.of(inputs), sources);
    }

    /** Builds a layer inside this one; {@code from} names the layers its inputs come from, for error messages. */
    public Shape child(String name, Layer layer, List<Shape> inputs, List<String> from) {
        List<Shape> outputs = childShapes(name, layer, inputs, from);
        if (outputs.size() != 1) {
            throw failure("uses " + name + " as a layer with one output, but it has " + outputs.size());
        }
        return outputs.get(0);
    }

    List<Shape> childShapes(String name, Layer layer, List<Shape> inputs, List<String> from) {
        require(Layer.isName(name), "has a layer named '" + name + "': " + Layer.NAME_RULE);
        Blueprint.Node child = new Blueprint.Node(node.qualified(name), layer);
        require(
                node.children.putIfAbsent(name, child) == null,
                "has two layers named '" + name + "': names must differ");
        child.outputs = new BuildContext(blueprint, child, from).shapes(layer, inputs);
        return child.outputs;
    }

    /** Builds a layer that adds nothing to the names of the layers inside it. */
    List<Shape> chunk(String name, Layer layer, List<Shape> inputs) {
        Blueprint.Node child = new Blueprint.Node(node.path, layer);
        node.children.put(name, child);
        child.outputs = new BuildContext(blueprint, child, sources).shapes(layer, inputs);
        return child.outputs;
    }

    List<Shape> shapes(Layer layer, List<Shape> inputs) {
        return layer instanceof MultiOutput<?> multi
                ? multi.buildAll(inputs, this)
                : List.of(layer.build(inputs, this));
    }

    /**
     * Counts what members that hold slices of this layer sum for each row of a batch.
     *
     * @param forward the shape of what is summed on the way forward; null: nothing
     * @param backward on the way back
     */
    void sums(Shape forward, Shape backward) {
        blueprint.summedForward += forward == null || !forward.isKnown() ? 0 : forward.size();
        long back = backward == null || !backward.isKnown() ? 0 : backward.size();
        blueprint.summedBackward += back;
        boolean learnsBefore =
                blueprint.parameters.stream().anyMatch(p -> !p.name().startsWith(node.path + "."));
        blueprint.summedAtInput += learnsBefore ? 0 : back;
    }

    /** True when the model is fed whole numbers somewhere: then this layer may be too. */
    boolean modelTakesIds() {
        return blueprint.inputs.stream().anyMatch(input -> !input.type().isFloating());
    }

    /** Where the inputs come from, for error messages. */
    public List<String> sources() {
        return sources;
    }

    /** The layer's full name, such as {@code encoder1.attention}. */
    public String path() {
        return node.path.isEmpty() ? node.layer.kind() : node.path;
    }

    /** An error that names the layer, what it expected, what it received and from where. */
    public ShapeException expected(String what, Shape received) {
        return failure("expects " + what + ", but receives " + received + " from " + String.join(" and ", sources));
    }

    /** An error of this layer's settings. */
    public ShapeException failure(String what) {
        String own = path().substring(path().lastIndexOf('.') + 1);
        String kind = own.startsWith(node.layer.kind()) ? "" : " (" + node.layer.kind() + ")";
        return new ShapeException("layer " + path() + kind + " " + what);
    }

    /** Checks a setting: it must hold, otherwise the layer cannot be built. */
    public void require(boolean holds, String what) {
        if (!holds) {
            throw failure(what);
        }
    }
}
