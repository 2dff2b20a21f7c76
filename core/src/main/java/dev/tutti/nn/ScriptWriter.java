package dev.tutti.nn;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes a model's computation as TorchScript source: a {@code forward} over attributes of {@code self}, one line for each
 * layer.
 */
public final class ScriptWriter {
    /** What all layers of one model write to. */
    private static final class Page {
        final List<String> lines = new ArrayList<>();
        final Map<String, String> parameters = new LinkedHashMap<>();
        final Map<String, String> buffers = new LinkedHashMap<>();
        int variables;
    }

    private final Blueprint.Node node;
    private final Page page;

    private ScriptWriter(Blueprint.Node node, Page page) {
        this.node = node;
        this.page = page;
    }

    static ScriptWriter of(Blueprint blueprint, Model model) {
        Page page = new Page();
        model.parameters().forEach(p -> page.parameters.put(p.name(), attribute(p.name())));
        model.buffers().forEach(b -> page.buffers.put(b.name(), attribute(b.name())));
        ScriptWriter root = new ScriptWriter(blueprint.root, page);
        List<String> inputs = new ArrayList<>();
        for (int i = 0; i < blueprint.inputs.size(); i++) {
            inputs.add(blueprint.inputs.size() == 1 ? "x" : "x" + (i + 1));
        }
        List<String> outputs = root.runAll(inputs);
        page.lines.add("return " + String.join(", ", outputs));
        page.lines.add(0, "def forward(self, " + String.join(", ", inputs) + "):");
        return root;
    }

    /** A dot would be a submodule in TorchScript; two underscores cannot be mistaken for a name's own. */
    private static String attribute(String name) {
        return name.replace(".", "__");
    }

    /** The layer's full name. */
    public String path() {
        return node.path;
    }

    /** A parameter or buffer of this layer, as an expression. */
    public String self(String name) {
        String qualified = node.qualified(name);
        String attribute = page.parameters.getOrDefault(qualified, page.buffers.get(qualified));
        if (attribute == null) {
            throw new IllegalArgumentException("layer " + node.path + " declared no '" + name + "'");
        }
        return "self." + attribute;
    }

    /** Writes {@code variable = expression} and returns the variable. */
    public String let(String expression) {
        String variable = "v" + page.variables++;
        page.lines.add(variable + " = " + expression);
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
        List<String> outputs = node.layer instanceof MultiOutput multi
                ? multi.scriptAll(inputs, this)
                : List.of(node.layer.script(inputs, this));
        Activation activation = node.layer.activation();
        return activation == Activation.NONE
                ? outputs
                : outputs.stream().map(out -> let(activation.script(out))).toList();
    }

    /** A list literal: {@code [1, 2]}. */
    public static String list(long... values) {
        return java.util.Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    /** The attribute in TorchScript of each parameter name. */
    public Map<String, String> parameters() {
        return page.parameters;
    }

    /** The attribute in TorchScript of each buffer name. */
    public Map<String, String> buffers() {
        return page.buffers;
    }

    /** The source of {@code forward}. */
    public String source() {
        return page.lines.get(0) + "\n"
                + page.lines.stream().skip(1).map(line -> "    " + line + "\n").collect(Collectors.joining());
    }
}
