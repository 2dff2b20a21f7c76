package dev.tutti.spark.feed;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import java.io.Serializable;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;

/**
 * How rows of a table become samples: the numbers of the feature columns one after the other, then those of the label columns, then the
 * weight of the row where there is one. A row in a file of floats has the same layout.
 */
public final class RowLayout implements Serializable {
    private static final long serialVersionUID = 1;
    /** From here on a float does not hold every whole number. */
    private static final float MOST_CLASSES = 1 << 24;

    private final ArrayList<FedColumn> features;
    private final ArrayList<FedColumn> labels;
    private final FedColumn weight; // null: all rows count the same
    private final boolean classes;
    private final long[] shape;
    private final int featureWidth;
    private final int labelWidth;

    /**
     * @param classes whether the label is the number of a class
     * @param shape of a sample's features, such as 1, 28, 28; empty for a plain vector
     */
    public RowLayout(List<FedColumn> features, List<FedColumn> labels, boolean classes, long... shape) {
        this(features, labels, null, classes, shape);
    }

    private RowLayout(
            List<FedColumn> features, List<FedColumn> labels, FedColumn weight, boolean classes, long... shape) {
        this.features = new ArrayList<>(features);
        this.labels = new ArrayList<>(labels);
        this.weight = weight;
        this.classes = classes;
        featureWidth = features.stream().mapToInt(FedColumn::length).sum();
        labelWidth = labels.stream().mapToInt(FedColumn::length).sum();
        this.shape = shape.length == 0 ? new long[] {featureWidth} : shape.clone();
        long size = 1;
        for (long extent : this.shape) {
            size *= extent;
        }
        if (size != featureWidth) {
            throw new DataException("the feature columns have " + featureWidth + " numbers in a row, which do not make"
                    + " a sample of the shape " + Arrays.toString(this.shape));
        }
        if (classes && labelWidth != 1) {
            throw new DataException("expected one label column with the number of a class, received " + labels);
        }
    }

    /**
     * The same with the weight of each row, in a column behind those of the labels; samples have it as their second label.
     *
     * @throws DataException if the column has several numbers in a row
     */
    public RowLayout weighted(FedColumn column) {
        if (column.length() != 1) {
            throw new DataException("column '" + column.name() + "' has " + column.length()
                    + " numbers in a row: expected one, the weight of the row");
        }
        return new RowLayout(features, labels, column, classes, shape);
    }

    /**
     * A column of a table.
     *
     * @param length how many numbers it has in every row
     * @throws DataException if it holds no numbers
     */
    public static FedColumn column(String name, DataType type, int length) {
        return new FedColumn(name, FedColumn.kind(name, type), length);
    }

    /** Numbers in a row. */
    int width() {
        return featureWidth + labelWidth + (weight == null ? 0 : 1);
    }

    /** Copies a row; its columns are those of the features, then those of the labels, then that of the weight. */
    void copy(InternalRow row, float[] into) {
        int ordinal = 0;
        int at = 0;
        for (FedColumn column : features) {
            column.copy(row, ordinal++, into, at);
            at += column.length();
        }
        for (FedColumn column : labels) {
            column.copy(row, ordinal++, into, at);
            at += column.length();
        }
        if (classes) {
            float label = into[featureWidth];
            if (!(label >= 0 && label < MOST_CLASSES) || label != (int) label) {
                throw new DataException("column '" + labels.get(0).name() + "': expected the number of a class,"
                        + " 0, 1, 2 and so on, received " + label);
            }
        }
        if (weight != null) {
            weight.copy(row, ordinal, into, at);
            if (!(into[at] >= 0) || Float.isInfinite(into[at])) {
                throw new DataException("column '" + weight.name() + "': expected the weight of a row, a number of 0 or"
                        + " more, received " + into[at]);
            }
        }
    }

    /** A row as numbers. */
    public float[] numbers(InternalRow row) {
        float[] values = new float[width()];
        copy(row, values);
        return values;
    }

    /** Rows of numbers as a batch. */
    public Batch batch(List<float[]> rows) {
        int count = rows.size();
        float[] values = new float[count * featureWidth];
        float[] targets = new float[count * labelWidth];
        float[] weights = new float[weight == null ? 0 : count];
        for (int i = 0; i < count; i++) {
            System.arraycopy(rows.get(i), 0, values, i * featureWidth, featureWidth);
            System.arraycopy(rows.get(i), featureWidth, targets, i * labelWidth, labelWidth);
            if (weight != null) {
                weights[i] = rows.get(i)[featureWidth + labelWidth];
            }
        }
        long[] dims = new long[shape.length + 1];
        dims[0] = count;
        System.arraycopy(shape, 0, dims, 1, shape.length);
        List<NdArray> labelled = new ArrayList<>();
        if (labelWidth > 0) {
            labelled.add(labels(targets, count));
        }
        if (weight != null) {
            labelled.add(NdArray.of(weights, count));
        }
        return new Batch(List.of(NdArray.of(values, dims)), labelled, count);
    }

    private NdArray labels(float[] targets, int count) {
        if (!classes) {
            return NdArray.of(targets, count, labelWidth);
        }
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (long) targets[i];
        }
        return NdArray.of(numbers, count);
    }

    /** A row of a file as a sample. */
    Sample sample(FloatBuffer row) {
        float[] values = new float[featureWidth];
        row.get(values);
        NdArray feature = NdArray.of(values, shape);
        if (labelWidth == 0) {
            return Sample.of(feature);
        }
        NdArray label = label(row);
        return weight == null
                ? Sample.of(feature, label)
                : new Sample(List.of(feature), List.of(label, NdArray.of(new float[] {row.get()})));
    }

    private NdArray label(FloatBuffer row) {
        if (classes) {
            return NdArray.of(new long[] {(long) row.get()});
        }
        float[] targets = new float[labelWidth];
        row.get(targets);
        return NdArray.of(targets, labelWidth);
    }

    /** A row of zeros, to know types and shapes by. */
    public Sample example() {
        return sample(FloatBuffer.allocate(width()));
    }
}
