package dev.tutti.spark.ml;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.train.Predictor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.TaskCompletionListener;

/** Adds the predictions of a model to rows, a batch at a time. */
final class PartitionPrediction implements MapPartitionsFunction<Row, Row> {
    private static final long serialVersionUID = 1;
    private static final int BATCH = 256;

    private final Broadcast<ModelFiles> model;
    private final String[] features;
    private final int[] columns;
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

    /** @param columns where the features are in a row */
    PartitionPrediction(Broadcast<ModelFiles> model, String[] features, int[] columns, OutputColumn[] outputs) {
        this.model = model;
        this.features = features.clone();
        this.columns = columns.clone();
        this.outputs = outputs.clone();
    }

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
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
        return new Iterator<>() {
            private Iterator<Row> ready = List.<Row>of().iterator();

            @Override
            public boolean hasNext() {
                return ready.hasNext() || rows.hasNext();
            }

            @Override
            public Row next() {
                if (!ready.hasNext()) {
                    ready = predicted(predictor, rows);
                }
                return ready.next();
            }
        };
    }

    private Iterator<Row> predicted(Predictor predictor, Iterator<Row> rows) {
        List<Row> batch = new ArrayList<>(BATCH);
        while (batch.size() < BATCH && rows.hasNext()) {
            batch.add(rows.next());
        }
        long[] shape = predictor.model().inputs().get(0).shape().toArray();
        int width = 1;
        for (long extent : shape) {
            width *= (int) extent;
        }
        float[] values = new float[batch.size() * width];
        for (int i = 0; i < batch.size(); i++) {
            copy(batch.get(i), values, i * width, width);
        }
        long[] dims = new long[shape.length + 1];
        dims[0] = batch.size();
        System.arraycopy(shape, 0, dims, 1, shape.length);
        NdArray scores = predictor.predict(NdArray.of(values, dims));
        float[] all = scores.floats();
        int each = all.length / batch.size();
        List<Row> results = new ArrayList<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            results.add(result(batch.get(i), all, i * each, each));
        }
        return results.iterator();
    }

    private void copy(Row row, float[] into, int from, int width) {
        int at = from;
        for (int c = 0; c < columns.length; c++) {
            Object value = row.get(columns[c]);
            int length = TableColumns.width(value, features[c]);
            if (at + length > from + width) {
                throw wrongWidth(width, at + length - from);
            }
            at += TableColumns.copy(value, features[c], into, at);
        }
        if (at != from + width) {
            throw wrongWidth(width, at - from);
        }
    }

    private DataException wrongWidth(int expected, int received) {
        return new DataException("the columns " + String.join(", ", features) + " have " + received
                + " numbers in a row, and the model takes " + expected);
    }

    private Row result(Row row, float[] scores, int from, int count) {
        Object[] values = new Object[row.length() + outputs.length];
        for (int i = 0; i < row.length(); i++) {
            values[i] = row.get(i);
        }
        for (int i = 0; i < outputs.length; i++) {
            values[row.length() + i] = switch (outputs[i]) {
                case CLASS -> (double) Scores.likeliest(scores, from, count);
                case NUMBER -> (double) scores[from];
                case RAW -> Vectors.dense(Scores.raw(scores, from, count));
                case PROBABILITY -> Vectors.dense(Scores.probabilities(scores, from, count));
            };
        }
        return RowFactory.create(values);
    }
}
