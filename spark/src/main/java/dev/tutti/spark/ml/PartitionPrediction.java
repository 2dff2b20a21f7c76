package dev.tutti.spark.ml;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.spark.feed.FedColumn;
import dev.tutti.train.Predictor;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.runtime.AbstractFunction1;

/**
 * Puts the predictions of a model behind the columns of rows, a batch at a time. Rows are those that Spark computes with: features are
 * copied from them by memory, and no value of a row becomes an object.
 */
final class PartitionPrediction extends AbstractFunction1<Iterator<Object>, Iterator<Object>> implements Serializable {
    private static final long serialVersionUID = 2;
    private static final int BATCH = 256;
    /** What {@code VectorUDT} writes for a vector that holds all its values. */
    private static final byte DENSE = 1;

    private final Broadcast<ModelFiles> model;
    private final ArrayList<FeatureColumn> features;
    private final OutputColumn[] outputs;

    /** What is written for a row. */
    enum OutputColumn {
        /** The number of the likeliest class. */
        CLASS,
        /** The first output as a number. */
        NUMBER,
        /** All outputs as a vector. */
        RAW,
        /** All outputs as probabilities. */
        PROBABILITY
    }

    /**
     * A column that features are read from.
     *
     * @param ordinal its place in a row
     */
    record FeatureColumn(String name, FedColumn.Kind kind, int ordinal) implements Serializable {}

    PartitionPrediction(Broadcast<ModelFiles> model, List<FeatureColumn> features, OutputColumn[] outputs) {
        this.model = model;
        this.features = new ArrayList<>(features);
        this.outputs = outputs.clone();
    }

    @Override
    public Iterator<Object> apply(Iterator<Object> rows) {
        if (!rows.hasNext()) {
            return rows;
        }
        ModelFiles files = model.value();
        Predictor predictor = PredictorPool.take(files);
        int cpus = TaskContext.get() == null ? 1 : TaskContext.get().cpus();
        predictor.cores(cpus);
        if (TaskContext.get() != null) {
            TaskCompletionListener end = context -> PredictorPool.giveBack(files, predictor);
            TaskContext.get().addTaskCompletionListener(end);
        }
        return new Batches(predictor, rows);
    }

    /** Rows with their predictions. A row is valid until the next one is asked for. */
    private final class Batches extends AbstractIterator<Object> {
        private final Predictor predictor;
        private final Iterator<Object> rows;
        private final long[] shape;
        private final int width;
        private final InternalRow[] batch = new InternalRow[BATCH];
        private final FedColumn[] columns = new FedColumn[features.size()]; // with the lengths of the row before
        private final GenericInternalRow predicted = new GenericInternalRow(outputs.length);
        private final JoinedRow joined = new JoinedRow();
        private int count;
        private int next;
        private float[] scores;

        Batches(Predictor predictor, Iterator<Object> rows) {
            this.predictor = predictor;
            this.rows = rows;
            shape = predictor.model().inputs().get(0).shape().toArray();
            width = (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        }

        @Override
        public boolean hasNext() {
            return next < count || rows.hasNext();
        }

        @Override
        public Object next() {
            if (next == count) {
                predict();
            }
            int each = scores.length / count;
            write(next * each, each);
            InternalRow row = batch[next];
            batch[next++] = null;
            return joined.apply(row, predicted);
        }

        private void predict() {
            count = 0;
            next = 0;
            float[] values = new float[BATCH * width];
            while (count < BATCH && rows.hasNext()) {
                InternalRow row = (InternalRow) rows.next();
                copy(row, values, count * width);
                batch[count++] = row.copy(); // Spark writes the next row to the same memory
            }
            long[] dims = new long[shape.length + 1];
            dims[0] = count;
            System.arraycopy(shape, 0, dims, 1, shape.length);
            float[] filled = count == BATCH ? values : Arrays.copyOf(values, count * width);
            scores = predictor.predict(NdArray.of(filled, dims)).floats();
        }

        private void copy(InternalRow row, float[] into, int from) {
            int at = from;
            for (int i = 0; i < columns.length; i++) {
                FeatureColumn feature = features.get(i);
                int length = FedColumn.length(row, feature.ordinal, feature.kind, feature.name);
                if (at + length > from + width) {
                    throw wrongWidth(width, at + length - from);
                }
                if (columns[i] == null || columns[i].length() != length) {
                    columns[i] = new FedColumn(feature.name, feature.kind, length);
                }
                columns[i].copy(row, feature.ordinal, into, at);
                at += length;
            }
            if (at != from + width) {
                throw wrongWidth(width, at - from);
            }
        }

        private void write(int from, int each) {
            for (int i = 0; i < outputs.length; i++) {
                predicted.update(
                        i,
                        switch (outputs[i]) {
                            case CLASS -> (Object) (double) Scores.likeliest(scores, from, each);
                            case NUMBER -> (double) scores[from];
                            case RAW -> vector(Scores.raw(scores, from, each));
                            case PROBABILITY -> vector(Scores.probabilities(scores, from, each));
                        });
            }
        }
    }

    /** As {@code VectorUDT} writes it: kind, size, indices, values. */
    private static InternalRow vector(double[] values) {
        return new GenericInternalRow(new Object[] {DENSE, null, null, UnsafeArrayData.fromPrimitiveArray(values)});
    }

    private DataException wrongWidth(int expected, int received) {
        List<String> names = features.stream().map(FeatureColumn::name).toList();
        return new DataException("the columns " + String.join(", ", names) + " have " + received
                + " numbers in a row, and the model takes " + expected);
    }
}
