package dev.tutti.nn;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Layers wired by name, with several inputs and outputs.
 *
 * <pre>{@code
 * Graph.inputs("image", "meta")
 *     .add("seen", Sequential.of(conv2d(32, 3).relu(), globalMaxPool2d()), "image")
 *     .add("known", dense(16).relu(), "meta")
 *     .add("both", concatenate(), "seen", "known")
 *     .add("class", dense(10), "both")
 *     .outputs("class");
 * }</pre>
 */
public final class Graph extends MultiOutput<Graph> {
    /** A layer under its name, and the names its inputs come from. */
    private record Node(String name, Layer layer, List<String> from) {}

    private List<String> inputs = List.of();
    private List<Node> nodes = List.of();
    private List<String> outputs = List.of();

    private Graph() {}

    public static Graph inputs(String... names) {
        Graph graph = new Graph();
        graph.inputs = List.of(names);
        return graph;
    }

    /** One more layer; {@code from} are inputs or layers added before. */
    public Graph add(String name, Layer layer, String... from) {
        List<Node> more = new ArrayList<>(nodes);
        more.add(new Node(name, layer, List.of(from)));
        return copy(c -> c.nodes = List.copyOf(more));
    }

    public Graph outputs(String... names) {
        return copy(c -> c.outputs = List.of(names));
    }

    /** Other layers in the same places. */
    Graph withLayers(BiFunction<String, Layer, Layer> others) {
        List<Node> changed = nodes.stream()
                .map(node -> new Node(node.name, others.apply(node.name, node.layer), node.from))
                .toList();
        return copy(c -> c.nodes = changed);
    }

    /** What comes in and what layers give, by name. */
    Map<String, Input> values(List<Input> given, Function<String, Shape> shapes) {
        Map<String, Input> values = new LinkedHashMap<>();
        for (int i = 0; i < inputs.size(); i++) {
            values.put(inputs.get(i), given.get(i));
        }
        for (Node node : nodes) {
            List<Input> in = node.from.stream().map(values::get).toList();
            values.put(node.name, new Input(shapes.apply(node.name), ValueTypes.after(node.layer, in)));
        }
        return values;
    }

    /** The values that are there before a node, counted from 0, and are needed by it or later; the outputs behind the last one. */
    List<String> crossing(int node) {
        if (node == nodes.size()) {
            return outputs;
        }
        Set<String> needed = new HashSet<>(outputs);
        nodes.subList(node, nodes.size()).forEach(each -> needed.addAll(each.from));
        List<String> there = new ArrayList<>(inputs);
        nodes.subList(0, node).forEach(each -> there.add(each.name));
        there.removeIf(name -> !needed.contains(name));
        return there;
    }

    /** The layers between values: those that {@code to} needs and that are not before {@code from}. */
    Graph part(List<String> from, List<String> to) {
        List<String> known = new ArrayList<>(inputs);
        nodes.forEach(node -> known.add(node.name));
        for (String name : concatenated(from, to)) {
            if (!known.contains(name)) {
                throw new TuttiException("the graph has no value '" + name + "'" + DidYouMean.hint(name, known));
            }
        }
        Set<String> needed = new HashSet<>(to);
        List<Node> part = new ArrayList<>();
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Node node = nodes.get(i);
            if (needed.contains(node.name) && !from.contains(node.name)) {
                part.add(0, node);
                needed.addAll(node.from);
            }
        }
        for (String input : inputs) {
            if (needed.contains(input) && !from.contains(input)) {
                throw new TuttiException("the values " + to + " need '" + input
                        + "', which the part is not given: it begins with " + from);
            }
        }
        for (String name : from) {
            if (!needed.contains(name)) {
                throw new TuttiException(
                        "the values " + to + " do not need '" + name + "', which the part begins with");
            }
        }
        Graph graph = inputs(from.toArray(String[]::new));
        graph.nodes = List.copyOf(part);
        graph.outputs = List.copyOf(to);
        return graph.activation(activationOf(to));
    }

    /** The graph's activation is applied to all of its outputs, and to nothing else. */
    private Activation activationOf(List<String> to) {
        if (activation() == Activation.NONE || to.equals(outputs)) {
            return activation();
        }
        if (to.stream().anyMatch(outputs::contains)) {
            throw new TuttiException("the graph applies " + activation() + " to its outputs " + outputs
                    + ": a part gives either all of them or none, received " + to);
        }
        return Activation.NONE;
    }

    private static List<String> concatenated(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    @Override
    List<Shape> buildAll(List<Shape> shapes, BuildContext build) {
        build.require(
                shapes.size() == inputs.size(),
                "takes " + inputs.size() + " inputs " + inputs + ", received " + shapes.size());
        build.require(!outputs.isEmpty(), "has no outputs: end it with outputs(...)");
        Map<String, Shape> known = new HashMap<>();
        for (int i = 0; i < shapes.size(); i++) {
            known.put(inputs.get(i), shapes.get(i));
        }
        for (Node node : nodes) {
            List<Shape> in = node.from.stream()
                    .map(name -> look(known, name, node.name, build))
                    .toList();
            build.require(!known.containsKey(node.name), "has two nodes named '" + node.name + "'");
            known.put(node.name, build.child(node.name, node.layer, in, node.from));
        }
        return outputs.stream().map(name -> look(known, name, "outputs", build)).toList();
    }

    private static Shape look(Map<String, Shape> known, String name, String user, BuildContext build) {
        Shape shape = known.get(name);
        if (shape == null) {
            throw build.failure("has no node '" + name + "' before '" + user + "', which uses it"
                    + DidYouMean.hint(name, known.keySet().stream().sorted().toList()));
        }
        return shape;
    }

    @Override
    List<Tensor> forwardAll(List<Tensor> tensors, ForwardContext pass) {
        Map<String, Tensor> known = new HashMap<>();
        for (int i = 0; i < tensors.size(); i++) {
            known.put(inputs.get(i), tensors.get(i));
        }
        for (Node node : nodes) {
            known.put(
                    node.name,
                    pass.child(node.name, node.from.stream().map(known::get).toList()));
        }
        return outputs.stream().map(known::get).toList();
    }

    @Override
    List<String> scriptAll(List<String> variables, ScriptWriter script) {
        Map<String, String> known = new HashMap<>();
        for (int i = 0; i < variables.size(); i++) {
            known.put(inputs.get(i), variables.get(i));
        }
        for (Node node : nodes) {
            List<String> in = node.from.stream().map(known::get).toList();
            known.put(node.name, script.childAll(node.name, in).get(0));
        }
        return outputs.stream().map(known::get).toList();
    }
}
