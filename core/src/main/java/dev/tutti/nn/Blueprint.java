package dev.tutti.nn;

import dev.tutti.MachineMemory;
import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.table.TableSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A layer definition worked out for given inputs: every parameter has its range, every shape is known. */
final class Blueprint {
    /** One layer of the tree. */
    static final class Node {
        final String path;
        final Layer layer;
        final Map<String, Parameter> parameters = new LinkedHashMap<>();
        final Map<String, Parameter> buffers = new LinkedHashMap<>();
        TableSpec table; // null where the layer has none; without the seed
        final Map<String, Node> children = new LinkedHashMap<>();
        List<Shape> outputs = List.of();

        Node(String path, Layer layer) {
            this.path = path;
            this.layer = layer;
        }

        String qualified(String name) {
            return path.isEmpty() ? name : path + "." + name;
        }

        Shape output() {
            return outputs.get(0);
        }
    }

    final Node root;
    final List<Parameter> parameters = new ArrayList<>();
    final List<Parameter> buffers = new ArrayList<>();
    final List<TableSpec> tables = new ArrayList<>();
    final Set<String> borrowed = new LinkedHashSet<>(); // parameters that no layer here has declared
    final List<Input> inputs;
    long summedForward; // elements that members with slices sum for each row
    long summedBackward;
    long summedAtInput; // those of them of values that no parameter comes before

    Blueprint(Layer layer, List<Input> inputs) {
        this.inputs = List.copyOf(inputs);
        root = new Node("", layer);
        List<String> sources = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            sources.add(inputs.size() == 1 ? "the input" : "input " + (i + 1));
        }
        BuildContext build = new BuildContext(this, root, sources);
        root.outputs = build.shapes(layer, inputs.stream().map(Input::shape).toList());
    }

    private Blueprint(Node root, List<Input> inputs) {
        this.root = root;
        this.inputs = inputs;
    }

    /** One layer of the tree without its inner layers: its own parameters and buffers in vectors of their own. */
    Blueprint alone(Node layer) {
        Node node = new Node(layer.path, layer.layer);
        node.outputs = layer.outputs;
        Blueprint alone = new Blueprint(node, inputs);
        layer.parameters.forEach((name, p) -> node.parameters.put(name, append(alone.parameters, p)));
        layer.buffers.forEach((name, b) -> node.buffers.put(name, append(alone.buffers, b)));
        return alone;
    }

    private static Parameter append(List<Parameter> list, Parameter p) {
        Parameter moved = new Parameter(
                p.name(), p.shape(), next(list, p.shape()), p.layout(), p.initializer(), p.fanIn(), p.fanOut());
        list.add(moved);
        return moved;
    }

    /**
     * Requires that parameters and gradients fit into this machine.
     *
     * @throws ShapeException if they do not; it names the layer with the most parameters
     */
    void requireMemory(DType type) {
        long memory = MachineMemory.bytes().orElse(0);
        double bytes = 2.0 * parameterCount() * type.bytes();
        if (memory > 0 && bytes > memory) {
            Parameter largest = Collections.max(
                    parameters, Comparator.comparingLong(each -> each.shape().size()));
            throw new ShapeException(String.format(
                    Locale.ROOT,
                    "the model has %,d parameters; they and their gradients take %,.0f GB, and this machine has %,.0f"
                            + " GB. The largest is %s with %s",
                    parameterCount(),
                    bytes / 1e9,
                    memory / 1e9,
                    largest.name(),
                    largest.shape()));
        }
    }

    long parameterCount() {
        return length(parameters);
    }

    long bufferCount() {
        return length(buffers);
    }

    static long length(List<Parameter> list) {
        return list.isEmpty() ? 0 : list.get(list.size() - 1).range().to();
    }

    static Range next(List<Parameter> list, Shape shape) {
        try {
            Range range = new Range(length(list), shape.size());
            Math.addExact(range.from(), range.length());
            return range;
        } catch (ArithmeticException e) {
            throw new ShapeException(
                    "a parameter of shape " + shape + " is larger than any machine: expected a smaller layer");
        }
    }
}
