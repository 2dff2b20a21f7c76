package dev.tutti.source.profile;

import dev.tutti.data.DataException;
import dev.tutti.source.table.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A job file for a table, drafted from what its columns hold: complete, commented, and made to be changed. */
public final class JobDraft {
    private static final int MOST_ONE_HOT = 64;
    private static final int MOST_CLASSES_OF_NUMBERS = 20;
    private static final int STEPS = 8000;
    private static final int MOST_EPOCHS = 60;

    /** Thousands of words are soon known by heart: validation is best after a few passes. */
    private static final int MOST_EPOCHS_OF_WORDS = 6;

    private final TableProfile table;
    private final String sourceYaml;
    private final ColumnProfile label;
    private final List<String> inputs = new ArrayList<>();
    private int embeddingRows;

    /** @param sourceYaml the source as YAML on one line */
    private JobDraft(TableProfile table, String sourceYaml, ColumnProfile label) {
        this.table = table;
        this.sourceYaml = sourceYaml;
        this.label = label;
    }

    /**
     * Drafts a job that learns a column of a table.
     *
     * @param file the path the draft is written to, which it names in its first lines
     * @throws DataException if there is no such column, or nothing to learn it from
     */
    public static String of(TableProfile table, String sourceYaml, String label, String name, String file) {
        JobDraft draft = new JobDraft(table, sourceYaml, table.column(label));
        if (draft.label.isConstant()) {
            throw new DataException("column '" + label + "' has "
                    + (draft.label.different() == 0 ? "no value" : "the same value in every row")
                    + ": there is nothing to learn");
        }
        table.columns().stream()
                .filter(column -> !column.name().equals(label))
                .forEach(column -> draft.inputs.add(draft.input(column)));
        if (draft.inputs.stream().allMatch(line -> line.startsWith("#"))) {
            throw new DataException("no column of " + table.source() + " but the label can be learned from");
        }
        return draft.text(name, file);
    }

    private boolean isClasses() {
        return label.type() == ColumnType.TEXT
                || label.type() == ColumnType.BOOLEAN
                || label.type() == ColumnType.INTEGER && label.different() <= MOST_CLASSES_OF_NUMBERS;
    }

    private String input(ColumnProfile column) {
        String name = quoted(column.name());
        if (column.isConstant()) {
            return "# " + column.name() + ": left out, "
                    + (column.different() == 0 ? "it is empty" : "it never changes");
        }
        if (column.isIdentifier()) {
            return "# " + column.name() + ": left out, it names rows and tells nothing about others";
        }
        String note = column.missing() > 0 ? String.format(Locale.ROOT, "   # %,d missing", column.missing()) : "";
        return switch (column.type()) {
            case NUMBER, INTEGER ->
                "- {type: numeric, column: " + name + (skewed(column) ? ", log: true" : "")
                        + (column.missing() > 0 ? ", indicator: true" : "") + "}" + note;
            case TIME -> "- {type: date, column: " + name + ", parts: [time, month, weekday, hour]}" + note;
            case BOOLEAN -> "- {type: category, column: " + name + "}" + note;
            case TEXT -> text(column, name) + note;
        };
    }

    /** Amounts that range over powers of ten: almost all in the lowest bucket, none below zero. */
    private static boolean skewed(ColumnProfile column) {
        return column.least() >= 0
                && column.present() > 0
                && column.different() > 20
                && column.deviation() > 0
                && column.buckets().get(0) > 0.9 * column.present();
    }

    private String text(ColumnProfile column, String name) {
        if (column.words() >= 4 && column.different() > column.present() / 2) {
            return "- {type: text, column: " + name + ", size: 2000}";
        }
        if (column.different() <= MOST_ONE_HOT) {
            long size = column.different() + 1 + Math.max(2, column.different() / 4); // room for values to come
            return "- {type: category, column: " + name + ", size: " + size + "}";
        }
        int size = (int) Math.min(10_000, Long.highestOneBit(column.different() + 1) * 2);
        embeddingRows += size;
        return "- {type: category, column: " + name + ", as: embedding, size: " + size + "}";
    }

    private String text(String name, String file) {
        boolean classes = isClasses();
        long rows = label.present();
        int batch = rows < 2000 ? 16 : rows < 100_000 ? 64 : 256;
        boolean words = inputs.stream().anyMatch(line -> line.startsWith("- {type: text"));
        int most = words ? MOST_EPOCHS_OF_WORDS : MOST_EPOCHS;
        long epochs = Math.max(2, Math.min(most, (long) STEPS * batch / Math.max(1, rows)));
        int parts = parts();
        int units = rows < 1000 ? 16 : 64;
        StringBuilder text = new StringBuilder();
        text.append("# Learns '")
                .append(label.name())
                .append("' from ")
                .append(table.source())
                .append(String.format(
                        Locale.ROOT,
                        " (%,d rows, %d columns).%n",
                        table.rows(),
                        table.columns().size()));
        text.append("# Made by ./tutti init; change what you like, then: ./tutti train ")
                .append(file)
                .append('\n');
        text.append("name: ").append(quoted(name)).append("\n\n");
        text.append(
                "data:                      # nine rows of ten to learn from; the others are measured after each epoch\n");
        for (String side : List.of("train", "validation")) {
            text.append("  ").append(side).append(":\n");
            text.append("    source: ").append(sourceYaml).append("\n");
            text.append("    stages:\n");
            text.append("      - {type: shuffle, seed: 1, fixed: true}\n");
            text.append("      - {type: split, fraction: 0.9")
                    .append(side.equals("train") ? "}\n" : ", second: true}\n");
        }
        text.append(
                "\npreprocessing:             # how columns become numbers; fitted on the training part, kept with the model\n");
        text.append("  type: columns\n");
        text.append("  label: {type: ")
                .append(classes ? "classes" : "number")
                .append(", column: ")
                .append(quoted(label.name()))
                .append("}\n");
        text.append("  inputs:\n");
        inputs.forEach(line -> text.append("    ").append(line).append('\n'));
        text.append("\nmodel:\n").append(model(units, parts, classes));
        text.append("\nloss: ").append(classes ? "softmaxCrossEntropy" : "mse").append("\n");
        text.append("metrics: [")
                .append(classes ? "accuracy, f1" : "r2, rmse")
                .append(classes ? "]" : "]        # rmse in standard deviations of the label")
                .append("\n");
        text.append("optimizer: {type: adam, learningRate: 0.002, schedule: cosine}\n");
        text.append("batch: ").append(batch).append("\n");
        text.append("epochs: ").append(epochs).append("\n");
        text.append("seed: 1\n");
        text.append("output: runs/").append(name).append("\n");
        return text.toString();
    }

    private int parts() {
        boolean numbers = inputs.stream().anyMatch(line -> line.startsWith("-") && !line.contains("as: embedding"));
        return (numbers ? 1 : 0) + (embeddingRows > 0 ? 2 : 0);
    }

    private String model(int units, int parts, boolean classes) {
        long outputs = classes ? label.different() : 1;
        String dense = "{type: dense, units: " + units + ", activation: relu}";
        String last = "{type: dense, units: " + outputs + "}" + (classes ? "   # one for each class" : "");
        if (parts == 1) {
            return "  type: sequential\n  layers:\n    - " + dense + "\n    - {type: dropout, rate: 0.1}\n    - "
                    + dense + "\n    - " + last + "\n";
        }
        StringBuilder text = new StringBuilder("  type: graph\n");
        text.append("  inputs: ")
                .append(parts == 3 ? "[numbers, ids]" : "[ids]")
                .append("\n  nodes:\n");
        text.append("    - name: embedded          # a vector for each of the ")
                .append(embeddingRows)
                .append(" ids of all columns\n");
        text.append("      layer: {type: sequential, layers: [{type: embedding, vocabulary: ")
                .append(embeddingRows)
                .append(", width: 8}, flatten]}\n      from: [ids]\n");
        String input = "embedded";
        if (parts == 3) {
            text.append("    - {name: all, layer: concatenate, from: [numbers, embedded]}\n");
            input = "all";
        }
        text.append("    - name: answer\n      layer:\n        type: sequential\n        layers:\n          - ")
                .append(dense)
                .append("\n          - {type: dropout, rate: 0.1}\n          - ")
                .append(dense)
                .append("\n          - ")
                .append(last)
                .append("\n      from: [")
                .append(input)
                .append("]\n");
        text.append("  outputs: [answer]\n");
        return text.toString();
    }

    /** A name as YAML, in quotes unless it is a plain word. */
    public static String quoted(String name) {
        return name.matches("[A-Za-z_][A-Za-z0-9_.-]*") && !name.matches("(?i)yes|no|true|false|null|on|off|y|n")
                ? name
                : '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
