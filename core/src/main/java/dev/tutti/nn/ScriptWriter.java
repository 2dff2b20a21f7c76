package dev.tutti.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a model's computation as TorchScript source: a {@code forward} over attributes of {@code self}, one line for each
 * layer.
 */
public final class ScriptWriter {
    /** What all layers of one model write to. */
    private static final class Page {
        final List<String> lines = new ArrayList<>();
        final List<ScriptLine> assignments = new ArrayList<>();
        List<String> inputs = List.of();
        List<String> outputs = List.of();
        final Map<String, String> parameters = new LinkedHashMap<>();
        final Map<String, String> buffers = new LinkedHashMap<>();
        final Map<String, Imported> modules = new LinkedHashMap<>();
        int variables;
        private final Set<String> taken = new HashSet<>();

        /** The name with its dots, which are steps into submodules, as words that Python allows. */
        String attribute(String name) {
            String attribute = Arrays.stream(name.split("\\.")).map(Page::word).collect(Collectors.joining("."));
            while (!taken.add(attribute)) {
                attribute += "_";
            }
            return attribute;
        }

        private static String word(String part) {
            String word = part.replaceAll("[^A-Za-z0-9_]", "_");
            return RESERVED.contains(word) || !Character.isLetter(word.charAt(0)) ? "_" + word : word;
        }
    }

    /** A module from a file that is carried along as a submodule; its values are those of the layer at the path. */
    public record Imported(TorchScript layer, String path) {}

    /** What cannot be the name of an attribute: Python's keywords and what every module has already. */
    private static final Set<String> RESERVED = Set.of(
            "False",
            "None",
            "True",
            "and",
            "as",
            "assert",
            "async",
            "await",
            "break",
            "class",
            "continue",
            "def",
            "del",
            "elif",
            "else",
            "except",
            "finally",
            "for",
            "from",
            "global",
            "if",
            "import",
            "in",
            "is",
            "lambda",
            "nonlocal",
            "not",
            "or",
            "pass",
            "raise",
            "return",
            "try",
            "while",
            "with",
            "yield",
            "forward",
            "training");

    private final Blueprint.Node node;
    private final Page page;

    private ScriptWriter(Blueprint.Node node, Page page) {
        this.node = node;
        this.page = page;
    }

    static ScriptWriter of(Blueprint blueprint, Model model) {
        Page page = new Page();
        model.parameters().forEach(p -> page.parameters.put(p.name(), page.attribute(p.name())));
        model.buffers().forEach(b -> page.buffers.put(b.name(), page.attribute(b.name())));
        ScriptWriter root = new ScriptWriter(blueprint.root, page);
        List<String> inputs = new ArrayList<>();
        for (int i = 0; i < blueprint.inputs.size(); i++) {
            inputs.add(blueprint.inputs.size() == 1 ? "x" : "x" + (i + 1));
        }
        List<String> outputs = root.runAll(inputs);
        page.inputs = List.copyOf(inputs);
        page.outputs = List.copyOf(outputs);
        page.lines.add("return " + String.join(", ", outputs));
        page.lines.add(0, "def forward(self, " + String.join(", ", inputs) + "):");
        return root;
    }

    /** The layer's full name. */
    public String path() {
        return node.path;
    }

    /** A parameter or buffer of this layer, as an expression. */
    public String self(String name) {
        Parameter own = node.parameters.get(name); // another layer's, where it is shared
        String qualified = own == null ? node.qualified(name) : own.name();
        String attribute = page.parameters.getOrDefault(qualified, page.buffers.get(qualified));
        if (attribute == null) {
            throw new IllegalArgumentException("layer " + node.path + " declared no '" + name + "'");
        }
        return "self." + attribute;
    }

    /** Carries this layer's module along with the layer's values, and returns it as an expression. */
    String module(TorchScript layer) {
        node.parameters.values().forEach(p -> page.parameters.remove(p.name()));
        node.buffers.values().forEach(b -> page.buffers.remove(b.name()));
        String attribute = page.attribute(node.path.isEmpty() ? layer.kind() : node.path);
        page.modules.put(attribute, new Imported(layer, node.path));
        return "self." + attribute;
    }

    /** How many outputs this layer has. */
    int outputs() {
        return node.outputs.size();
    }

    /** Writes {@code variable = expression} and returns the variable. */
    public String let(String expression) {
        String variable = "v" + page.variables++;
        page.lines.add(variable + " = " + expression);
        page.assignments.add(new ScriptLine(node.path.isEmpty() ? node.layer.kind() : node.path, variable, expression));
        return variable;
    }

    /** Writes an inner layer. */
    public String child(String name, String... inputs) {
        return childAll(name, List.of(inputs)).get(0);
    }

    List<String> childAll(String name, List<String> inputs) {
        return new ScriptWriter(node.children.get(name), page).runAll(inputs);
    }

    private List<String> runAll(List<String> inputs) {
        List<String> outputs = node.layer instanceof MultiOutput<?> multi
                ? multi.scriptAll(inputs, this)
                : List.of(node.layer.script(inputs, this));
        Activation activation = node.layer.activation();
        return activation == Activation.NONE
                ? outputs
                : outputs.stream().map(out -> let(activation.script(out))).toList();
    }

    /** A list literal: {@code [1, 2]}. */
    public static String list(long... values) {
        return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    /** The attribute in TorchScript of each parameter name. */
    public Map<String, String> parameters() {
        return page.parameters;
    }

    /** The attribute in TorchScript of each buffer name. */
    public Map<String, String> buffers() {
        return page.buffers;
    }

    /** The submodules that the source calls, by attribute. */
    public Map<String, Imported> modules() {
        return page.modules;
    }

    /** A line of {@code forward}: which layer wrote it, and the variable that holds what the expression gives. */
    public record ScriptLine(String layer, String variable, String expression) {}

    /** The lines of {@code forward} in order, for those who translate them. */
    public List<ScriptLine> lines() {
        return List.copyOf(page.assignments);
    }

    /** The variables that {@code forward} is given. */
    public List<String> inputs() {
        return page.inputs;
    }

    /** The expressions that {@code forward} returns. */
    public List<String> outputVariables() {
        return page.outputs;
    }

    /** The source of {@code forward}. */
    public String source() {
        return page.lines.get(0) + "\n"
                + page.lines.stream().skip(1).map(line -> "    " + line + "\n").collect(Collectors.joining());
    }
}
