package dev.tutti.app.input;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.transform.FittedTransform;
import dev.tutti.loss.BinaryCrossEntropy;
import dev.tutti.loss.Loss;
import dev.tutti.loss.SoftmaxCrossEntropy;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Turns the outputs of a model into what they mean: classes with probabilities, or plain numbers. */
public final class ReadableOutputs {
    private static final int SHOWN = 3;

    private final Kind kind;
    private final List<String> names;
    private final List<FittedTransform> fitted;

    private enum Kind {
        /** A logit for each class. */
        CLASSES,
        /** One logit: no or yes, that is class 0 or class 1. */
        YES_OR_NO,
        NUMBERS
    }

    private ReadableOutputs(Kind kind, List<String> names, List<FittedTransform> fitted) {
        this.kind = kind;
        this.names = names;
        this.fitted = fitted;
    }

    public static ReadableOutputs of(SavedModel saved) {
        return of(saved.description());
    }

    public static ReadableOutputs of(ModelDescription saved) {
        List<FittedTransform> fitted = saved.features().transforms().stream()
                .filter(FittedTransform.class::isInstance)
                .map(FittedTransform.class::cast)
                .toList();
        return new ReadableOutputs(kind(saved), saved.features().classes(), fitted);
    }

    private static Kind kind(ModelDescription saved) {
        List<Shape> outputs = saved.plan().outputs();
        Loss loss = saved.made().recipe().loss();
        if (outputs.size() != 1 || outputs.get(0).rank() != 1) {
            return Kind.NUMBERS;
        }
        if (loss instanceof SoftmaxCrossEntropy) {
            return Kind.CLASSES;
        }
        return loss instanceof BinaryCrossEntropy && outputs.get(0).size() == 1 ? Kind.YES_OR_NO : Kind.NUMBERS;
    }

    public boolean areClasses() {
        return kind != Kind.NUMBERS;
    }

    /** What a row of outputs means: for programs under the keys of the map, for people as the cells of a table. */
    public record Answer(Map<String, Object> fields, List<String> cells) {}

    public List<String> columns() {
        return areClasses() ? List.of("class", "probability", "then") : List.of("output");
    }

    public Answer answer(NdArray outputs, int row) {
        int width = outputs.size() / Math.toIntExact(outputs.shape().dim(0));
        double[] values = new double[width];
        for (int i = 0; i < width; i++) {
            values[i] = outputs.at(row * width + i);
            values[i] = kind == Kind.NUMBERS ? meaning(values[i]) : values[i];
        }
        return switch (kind) {
            case CLASSES -> classes(softmax(values));
            case YES_OR_NO -> classes(softmax(new double[] {0, values[0]})); // which is the sigmoid
            case NUMBERS -> numbers(values);
        };
    }

    private Answer classes(double[] probabilities) {
        List<Integer> best = IntStream.range(0, probabilities.length)
                .boxed()
                .sorted((a, b) -> Double.compare(probabilities[b], probabilities[a]))
                .toList();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("class", name(best.get(0)));
        fields.put("probability", probabilities[best.get(0)]);
        fields.put(
                "top",
                best.stream()
                        .limit(SHOWN)
                        .map(i -> Map.of("class", name(i), "probability", probabilities[i]))
                        .toList());
        fields.put("probabilities", probabilities);
        String then = best.stream()
                .skip(1)
                .limit(SHOWN - 1)
                .map(i -> name(i) + " " + percent(probabilities[i]))
                .collect(Collectors.joining(", "));
        return new Answer(fields, List.of(name(best.get(0)), percent(probabilities[best.get(0)]), then));
    }

    private static Answer numbers(double[] values) {
        String text = Arrays.stream(values)
                .limit(8)
                .mapToObj(value -> String.format(Locale.ROOT, "%.5g", value))
                .collect(Collectors.joining(", "));
        return new Answer(Map.of("output", values), List.of(text + (values.length > 8 ? ", ..." : "")));
    }

    /** An output in the units of the label: numbers that were scaled to be learned are scaled back. */
    private double meaning(double output) {
        double value = output;
        for (FittedTransform transform : fitted) {
            value = transform.meaning(value);
        }
        return value;
    }

    /** A label that is a number, in its own units. */
    public String number(String label) {
        return label == null || fitted.isEmpty()
                ? label
                : String.format(Locale.ROOT, "%.5g", meaning(Double.parseDouble(label)));
    }

    public String name(int number) {
        return number < names.size() ? names.get(number) : Integer.toString(number);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.2f%%", 100 * share);
    }

    private static double[] softmax(double[] values) {
        double max = Arrays.stream(values).max().orElse(0);
        double[] powers =
                Arrays.stream(values).map(value -> Math.exp(value - max)).toArray();
        double sum = Arrays.stream(powers).sum();
        return Arrays.stream(powers).map(power -> power / sum).toArray();
    }
}
