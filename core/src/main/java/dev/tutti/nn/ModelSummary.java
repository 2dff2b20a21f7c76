package dev.tutti.nn;

import dev.tutti.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The printed table of a model: layer, output shape, parameters. */
final class ModelSummary {
    private ModelSummary() {}

    static String of(Model model, Blueprint.Node root) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"layer", "output", "parameters"});
        if (root.children.isEmpty()) {
            rows.add(row(root.layer.kind(), root));
        }
        root.children.forEach((name, child) -> add(rows, name, child, ""));
        int[] width = new int[3];
        rows.forEach(row -> {
            for (int i = 0; i < 3; i++) {
                width[i] = Math.max(width[i], row[i].length());
            }
        });
        StringBuilder text = new StringBuilder();
        String rule = "─".repeat(width[0] + width[1] + width[2] + 4) + "\n";
        for (int i = 0; i < rows.size(); i++) {
            String[] row = rows.get(i);
            String line = pad(row[0], width[0]) + "  " + pad(row[1], width[1]) + "  "
                    + " ".repeat(width[2] - row[2].length()) + row[2];
            text.append(line.stripTrailing()).append('\n');
            text.append(i == 0 ? rule : "");
        }
        long all = model.vector().size();
        long frozen = model.parameters().stream()
                .filter(model::isFrozen)
                .mapToLong(p -> p.range().length())
                .sum();
        text.append(rule).append(number(all)).append(" parameters");
        text.append(frozen == 0 ? "" : ", " + number(frozen) + " of them frozen");
        long bytes = all * model.options().type().bytes();
        return text.append(String.format(Locale.ROOT, ", %.1f MB", bytes / 1e6))
                .append('\n')
                .toString();
    }

    private static void add(List<String[]> rows, String name, Blueprint.Node node, String indent) {
        if (node.layer instanceof Sequential || node.layer instanceof Graph || node.layer instanceof Residual) {
            rows.add(new String[] {indent + label(name, node), shapes(node), ""});
            node.children.forEach((inner, child) -> add(rows, inner, child, indent + "  "));
        } else {
            rows.add(row(indent + label(name, node), node));
        }
    }

    private static String label(String name, Blueprint.Node node) {
        String kind = name.startsWith(node.layer.kind()) ? "" : " (" + node.layer.kind() + ")";
        return name + kind + (node.layer.activation() == Activation.NONE ? "" : " " + node.layer.activation());
    }

    private static String[] row(String label, Blueprint.Node node) {
        return new String[] {label, shapes(node), number(count(node))};
    }

    private static String shapes(Blueprint.Node node) {
        return node.outputs.stream().map(Shape::toString).collect(Collectors.joining(" and "));
    }

    private static long count(Blueprint.Node node) {
        long own = node.parameters.values().stream()
                .mapToLong(p -> p.range().length())
                .sum();
        return own
                + node.children.values().stream().mapToLong(ModelSummary::count).sum();
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
