package dev.tutti.jobs.predict;

import dev.tutti.array.NdArray;
import dev.tutti.data.transform.FittedTransform;
import dev.tutti.serve.model.ClassNames;
import dev.tutti.train.checkpoint.SavedModel;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes outputs of a model as lines: the likeliest class with its probability, or the numbers in the units of the label. */
final class PredictionLines {
    private final PredictionFormat format;
    private final ClassNames classes;
    private final List<FittedTransform> fitted;

    PredictionLines(PredictionFormat format, SavedModel saved) {
        this.format = format;
        classes = ClassNames.of(saved);
        fitted = saved.features().transforms().stream()
                .filter(FittedTransform.class::isInstance)
                .map(FittedTransform.class::cast)
                .toList();
    }

    /** The first line of the file; empty where the format has none. */
    static String header(PredictionFormat format, boolean classes, int outputs) {
        if (format != PredictionFormat.CSV) {
            return "";
        }
        String columns = classes
                ? "class,probability"
                : outputs == 1
                        ? "output"
                        : IntStream.range(0, outputs)
                                .mapToObj(i -> "output_" + i)
                                .collect(Collectors.joining(","));
        return "row," + columns + "\n";
    }

    String header(int outputs) {
        return header(format, classes.exist(), outputs);
    }

    /** Appends a line for each row of some outputs, the first of which is row {@code first} of the data. */
    void append(StringBuilder text, NdArray outputs, long first) {
        int rows = Math.toIntExact(outputs.shape().dim(0));
        int width = outputs.size() / Math.max(1, rows);
        for (int row = 0; row < rows; row++) {
            if (format == PredictionFormat.CSV) {
                csv(text.append(first + row), outputs, row, width);
            } else {
                json(text.append("{\"row\":").append(first + row), outputs, row, width);
            }
            text.append('\n');
        }
    }

    private void csv(StringBuilder text, NdArray outputs, int row, int width) {
        if (classes.exist()) {
            double[] probabilities = classes.probabilities(outputs, row);
            int best = best(probabilities);
            text.append(',').append(quoted(classes.name(best))).append(',').append((float) probabilities[best]);
            return;
        }
        for (int i = 0; i < width; i++) {
            text.append(',').append((float) meaning(outputs.at(row * width + i)));
        }
    }

    private void json(StringBuilder text, NdArray outputs, int row, int width) {
        if (classes.exist()) {
            double[] probabilities = classes.probabilities(outputs, row);
            int best = best(probabilities);
            text.append(",\"class\":").append(dev.tutti.json.Json.write(classes.name(best)));
            text.append(",\"probability\":").append(number(probabilities[best]));
        }
        text.append(",\"output\":[");
        for (int i = 0; i < width; i++) {
            text.append(i == 0 ? "" : ",").append(number(meaning(outputs.at(row * width + i))));
        }
        text.append("]}");
    }

    private double meaning(double output) {
        double value = output;
        if (!classes.exist()) {
            for (FittedTransform transform : fitted) {
                value = transform.meaning(value);
            }
        }
        return value;
    }

    private static int best(double[] probabilities) {
        int best = 0;
        for (int i = 1; i < probabilities.length; i++) {
            if (probabilities[i] > probabilities[best]) {
                best = i;
            }
        }
        return best;
    }

    private static String number(double value) {
        return Double.isFinite(value) ? Float.toString((float) value) : "null";
    }

    /** A name as a field of CSV. */
    private static String quoted(String name) {
        return name.matches("[^\",\\r\\n]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }
}
