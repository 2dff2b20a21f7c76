package dev.tutti.metric;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.util.Arrays;

/**
 * A batch of a classification, its shapes checked: scores of {@code width} numbers for each row, and the class each row
 * is of.
 *
 * @param width scores for each row; 1 when a single number decides between two classes
 * @param actual the class of each row
 */
record ClassBatch(NdArray scores, int width, int[] actual) {
    /** The result of {@link #decide} for a row that holds a NaN. */
    static final int UNDECIDED = -1;

    static ClassBatch of(String metric, NdArray predictions, NdArray targets) {
        if (!predictions.type().isFloating()) {
            throw new MetricException(
                    metric, "predictions are logits or probabilities of a floating type: received " + predictions);
        }
        Shape shape = predictions.shape();
        if (shape.rank() == 0 || (shape.rank() > 1 && shape.dim(-1) == 0)) {
            throw new MetricException(metric, "predictions are of shape [batch, classes]: received " + shape);
        }
        int width = shape.rank() == 1 ? 1 : Math.toIntExact(shape.dim(-1));
        Shape rows = shape.rank() == 1 ? shape : shape.first(shape.rank() - 1);
        int classes = width == 1 ? 2 : width;
        Shape received = targets.shape();
        int[] actual;
        if (received.equals(rows) || received.equals(rows.append(1))) {
            actual = ids(metric, targets, classes);
        } else if (width > 1 && received.equals(shape)) {
            actual = oneHot(metric, targets, width);
        } else {
            throw new MetricException(
                    metric,
                    "for predictions of shape " + shape + " targets are class ids of shape " + rows
                            + (width > 1 ? " or one-hot of shape " + shape : "") + ": received shape " + received);
        }
        return new ClassBatch(predictions, width, actual);
    }

    int rows() {
        return actual.length;
    }

    int classes() {
        return width == 1 ? 2 : width;
    }

    /** The class decided for each row: the one with the highest score (the first of equals), or by threshold. */
    int[] decide(double threshold) {
        int[] decided = new int[rows()];
        if (width == 1) {
            for (int row = 0; row < decided.length; row++) {
                double score = scores.at(row);
                decided[row] = Double.isNaN(score) ? UNDECIDED : score > threshold ? 1 : 0;
            }
        } else if (scores.type() == DType.FLOAT32) {
            float[] values = scores.floats();
            for (int row = 0; row < decided.length; row++) {
                decided[row] = highest(values, row * width, width);
            }
        } else {
            double[] values = scores.doubles();
            for (int row = 0; row < decided.length; row++) {
                decided[row] = highest(values, row * width, width);
            }
        }
        return decided;
    }

    private static int highest(float[] values, int from, int width) {
        int best = 0;
        float max = values[from];
        for (int i = 0; i < width; i++) {
            float value = values[from + i];
            if (value > max) {
                max = value;
                best = i;
            } else if (Float.isNaN(value)) {
                return UNDECIDED;
            }
        }
        return best;
    }

    private static int highest(double[] values, int from, int width) {
        int best = 0;
        double max = values[from];
        for (int i = 0; i < width; i++) {
            double value = values[from + i];
            if (value > max) {
                max = value;
                best = i;
            } else if (Double.isNaN(value)) {
                return UNDECIDED;
            }
        }
        return best;
    }

    private static int[] ids(String metric, NdArray targets, int classes) {
        int[] ids = new int[targets.size()];
        for (int row = 0; row < ids.length; row++) {
            long id = targets.longAt(row);
            if (targets.type().isFloating() && id != targets.at(row)) {
                throw new MetricException(
                        metric,
                        "the target of row " + row + " is " + targets.at(row) + ": class ids are whole numbers");
            }
            if (id < 0 || id >= classes) {
                throw new MetricException(
                        metric,
                        "the target of row " + row + " is class " + id + ", but there are " + classes
                                + " classes, 0 to " + (classes - 1));
            }
            ids[row] = (int) id;
        }
        return ids;
    }

    private static int[] oneHot(String metric, NdArray targets, int width) {
        double[] values = targets.to(DType.FLOAT64).doubles();
        int[] ids = new int[values.length / width];
        for (int row = 0; row < ids.length; row++) {
            int best = highest(values, row * width, width);
            if (best == UNDECIDED || occurrences(values, row * width, width, values[row * width + best]) > 1) {
                throw new MetricException(
                        metric,
                        "a one-hot target has one greatest number: row " + row + " is "
                                + Arrays.toString(
                                        Arrays.copyOfRange(values, row * width, row * width + Math.min(width, 10)))
                                + (width > 10 ? " ..." : ""));
            }
            ids[row] = best;
        }
        return ids;
    }

    private static int occurrences(double[] values, int from, int width, double wanted) {
        int count = 0;
        for (int i = from; i < from + width; i++) {
            count += values[i] == wanted ? 1 : 0;
        }
        return count;
    }
}
