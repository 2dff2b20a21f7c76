package dev.tutti.serve.model;

import dev.tutti.array.NdArray;
import dev.tutti.loss.BinaryCrossEntropy;
import dev.tutti.loss.Loss;
import dev.tutti.loss.SoftmaxCrossEntropy;
import dev.tutti.train.checkpoint.ModelDescription;
import dev.tutti.train.checkpoint.SavedModel;
import java.util.List;
import java.util.OptionalInt;

/** The classes that a model tells apart, and their probabilities; a model of numbers has none. */
public final class ClassNames {
    private enum Kind {
        SOFTMAX,
        SIGMOID,
        NONE
    }

    private final Kind kind;
    private final List<String> names;
    private final int outputs;

    private ClassNames(Kind kind, List<String> names, int outputs) {
        this.kind = kind;
        this.names = names;
        this.outputs = outputs;
    }

    /** Those of a saved model. */
    public static ClassNames of(SavedModel saved) {
        return of(saved.description());
    }

    static ClassNames of(ModelDescription saved) {
        var outputs = saved.plan().outputs();
        Loss loss = saved.made().recipe() == null ? null : saved.made().recipe().loss();
        Kind kind = Kind.NONE;
        if (outputs.size() == 1 && outputs.get(0).rank() == 1) {
            if (loss instanceof SoftmaxCrossEntropy) {
                kind = Kind.SOFTMAX;
            } else if (loss instanceof BinaryCrossEntropy && outputs.get(0).size() == 1) {
                kind = Kind.SIGMOID;
            }
        }
        int width = kind == Kind.NONE ? 0 : Math.toIntExact(outputs.get(0).size());
        return new ClassNames(kind, saved.features().classes(), width);
    }

    public boolean exist() {
        return kind != Kind.NONE;
    }

    /** How many outputs tell them apart; 1 where there are two, which one output tells apart. */
    public int count() {
        return outputs;
    }

    /** The number of a class by its name, or by the number itself. */
    public OptionalInt number(String name) {
        int known = names.indexOf(name);
        if (known >= 0) {
            return OptionalInt.of(known);
        }
        boolean number = name.matches("[0-9]{1,6}") && Integer.parseInt(name) < outputs;
        return number ? OptionalInt.of(Integer.parseInt(name)) : OptionalInt.empty();
    }

    public String name(int number) {
        return number < names.size() ? names.get(number) : Integer.toString(number);
    }

    /** The probabilities of all classes for one row of outputs. */
    public double[] probabilities(NdArray outputs, int row) {
        int width = outputs.size() / Math.max(1, Math.toIntExact(outputs.shape().dim(0)));
        if (kind == Kind.SIGMOID) {
            double one = 1 / (1 + Math.exp(-outputs.at(row)));
            return new double[] {1 - one, one};
        }
        double[] values = new double[width];
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < width; i++) {
            values[i] = outputs.at(row * width + i);
            max = Math.max(max, values[i]);
        }
        double sum = 0;
        for (int i = 0; i < width; i++) {
            values[i] = Math.exp(values[i] - max);
            sum += values[i];
        }
        for (int i = 0; i < width; i++) {
            values[i] /= sum;
        }
        return values;
    }
}
