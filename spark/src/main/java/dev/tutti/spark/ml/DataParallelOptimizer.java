package dev.tutti.spark.ml;

import dev.tutti.data.DataException;
import dev.tutti.nn.Layer;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Optimizers;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.ml.feature.LabeledPoint;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The short form for those who have an RDD: {@code DataParallelOptimizer.of(model, 128).epochs(5).output("hdfs:///digits").fit(rdd)}.
 * Its elements are arrays of numbers, rows of numbers, arrays and vectors, or lines of text with numbers between commas, semicolons, tabs
 * or spaces, whose last number is the label; or labelled points of Spark ML.
 */
public final class DataParallelOptimizer {
    private final Layer model;
    private final int batchSize;
    private final int epochs;
    private final Optimizer optimizer;
    private final boolean regression;
    private final String output;

    private DataParallelOptimizer(
            Layer model, int batchSize, int epochs, Optimizer optimizer, boolean regression, String output) {
        this.model = model;
        this.batchSize = batchSize;
        this.epochs = epochs;
        this.optimizer = optimizer;
        this.regression = regression;
        this.output = output;
    }

    /** @param batchSize rows of a batch over all members */
    public static DataParallelOptimizer of(Layer model, int batchSize) {
        return new DataParallelOptimizer(model, batchSize, 1, Optimizers.adam(1e-3), false, null);
    }

    public DataParallelOptimizer epochs(int count) {
        return new DataParallelOptimizer(model, batchSize, count, optimizer, regression, output);
    }

    public DataParallelOptimizer optimizer(Optimizer choice) {
        return new DataParallelOptimizer(model, batchSize, epochs, choice, regression, output);
    }

    /** The label is a number to come close to, not that of a class. */
    public DataParallelOptimizer regression() {
        return new DataParallelOptimizer(model, batchSize, epochs, optimizer, true, output);
    }

    /** Where the model is written, in any file system that Hadoop knows. */
    public DataParallelOptimizer output(String path) {
        return new DataParallelOptimizer(model, batchSize, epochs, optimizer, regression, path);
    }

    /** Trains on all elements, and writes the model where that was said. */
    public ModelFiles fit(JavaRDD<?> data) {
        SparkSession session = SparkSession.builder().getOrCreate();
        StructType schema = new StructType()
                .add("features", DataTypes.createArrayType(DataTypes.FloatType, false), false)
                .add("label", DataTypes.FloatType, false);
        Dataset<Row> table = session.createDataFrame(data.map(DataParallelOptimizer::row), schema);
        ModelFiles files = regression
                ? set(new TuttiRegressor()).fit(table).files()
                : set(new TuttiClassifier()).fit(table).files();
        if (output != null) {
            files.write(output, session.sparkContext().hadoopConfiguration());
        }
        return files;
    }

    private <E extends TrainingStage<E, M>, M extends TrainedStage<M>> E set(E stage) {
        return stage.setModel(model)
                .setOptimizer(optimizer)
                .setBatchSize(batchSize)
                .setEpochs(epochs);
    }

    private static Row row(Object element) {
        float[] numbers = numbers(element);
        if (numbers.length < 2) {
            throw new DataException(
                    "expected features and a label in every element, received " + numbers.length + " number(s)");
        }
        float[] features = new float[numbers.length - 1];
        System.arraycopy(numbers, 0, features, 0, features.length);
        return RowFactory.create(features, numbers[features.length]);
    }

    private static float[] numbers(Object element) {
        if (element instanceof float[] floats) {
            return floats;
        }
        if (element instanceof double[] doubles) {
            float[] values = new float[doubles.length];
            IntStream.range(0, values.length).forEach(i -> values[i] = (float) doubles[i]);
            return values;
        }
        if (element instanceof LabeledPoint point) {
            double[] features = point.features().toArray();
            float[] values = new float[features.length + 1];
            IntStream.range(0, features.length).forEach(i -> values[i] = (float) features[i]);
            values[features.length] = (float) point.label();
            return values;
        }
        if (element instanceof Row row) {
            List<Integer> places = IntStream.range(0, row.length()).boxed().toList();
            int width = places.stream()
                    .mapToInt(i -> TableColumns.width(row.get(i), "" + i))
                    .sum();
            float[] values = new float[width];
            int at = 0;
            for (int i : places) {
                at += TableColumns.copy(row.get(i), "" + i, values, at);
            }
            return values;
        }
        if (element instanceof String line) {
            String[] words = line.strip().split("[,;\\s]+");
            float[] values = new float[words.length];
            for (int i = 0; i < words.length; i++) {
                try {
                    values[i] = Float.parseFloat(words[i]);
                } catch (NumberFormatException e) {
                    throw new DataException("expected numbers in every line, received '" + words[i] + "'", e);
                }
            }
            return values;
        }
        throw new DataException("expected arrays of numbers, rows, labelled points or lines of text, received "
                + (element == null ? "null" : element.getClass().getName()));
    }
}
