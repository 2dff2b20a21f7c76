package dev.tutti.spark.measure;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;

import dev.tutti.array.DType;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Mnist;
import dev.tutti.data.transform.Transform;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.launch.FedTable;
import dev.tutti.spark.launch.SessionSettings;
import dev.tutti.spark.mapreduce.RddEngine;
import dev.tutti.spark.ml.SparkTables;
import dev.tutti.spark.ml.TuttiClassifier;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.classification.MultilayerPerceptronClassifier;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.functions;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Measurements on a cluster of two executors with a core each, in a session that is warm. */
public final class SparkMeasurement {
    private static final int TRAIN = 10_000;
    private static final int TEST = 2_000;
    private static final int HIDDEN = 128;
    /** A hidden layer with which the network has a million parameters. */
    private static final int MILLION = 1_258;

    private final SparkSession session;

    private SparkMeasurement(SparkSession session) {
        this.session = session;
    }

    /**
     * Measures one thing.
     *
     * @param name tutti, mllib, epochs, allreduce, mapreduce, loss, or processes, which needs no cluster
     */
    public static Map<String, Double> of(String name) {
        if (name.equals("processes")) {
            return EpochTimes.ofProcesses();
        }
        SparkSession session = new SessionSettings(SessionSettings.ofMaster("local-cluster[2,1,2048]")).open();
        try {
            SparkMeasurement measurement = new SparkMeasurement(session);
            return switch (name) {
                case "tutti" -> measurement.tutti();
                case "mllib" -> measurement.mllib();
                case "epochs" -> EpochTimes.ofTable(session, measurement.train());
                case "allreduce" -> measurement.allReduce();
                case "mapreduce" -> measurement.mapReduce();
                case "loss" -> new ExecutorLoss(session).measure(measurement.train());
                default ->
                    throw new TrainingException(
                            "expected tutti, mllib, epochs, processes, allreduce, mapreduce or loss to measure, received "
                                    + name);
            };
        } finally {
            session.stop();
        }
    }

    private Dataset<Row> digits(dev.tutti.data.Dataset data, boolean vectors) {
        return digits(session, data, vectors, 4);
    }

    /** Images of digits as a table that the executors keep. */
    static Dataset<Row> digits(SparkSession session, dev.tutti.data.Dataset data, boolean vectors, int parts) {
        List<Row> rows = new ArrayList<>();
        try (BatchReader reader = data.batch(1000).open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                float[] all = next.get().feature().to(DType.FLOAT32).floats();
                int width = all.length / next.get().size();
                for (int i = 0; i < next.get().size(); i++) {
                    float[] pixels = new float[width];
                    System.arraycopy(all, i * width, pixels, 0, width);
                    rows.add(RowFactory.create(
                            pixels, (double) next.get().label().longAt(i)));
                }
            }
        }
        StructType schema = new StructType()
                .add("features", DataTypes.createArrayType(DataTypes.FloatType, false), false)
                .add("label", DataTypes.DoubleType, false);
        Dataset<Row> table = session.createDataFrame(
                JavaSparkContext.fromSparkContext(session.sparkContext()).parallelize(rows, parts), schema);
        Dataset<Row> cached = (vectors
                        ? table.withColumn("features", functions.array_to_vector(table.col("features")))
                        : table)
                .cache();
        cached.count();
        return cached;
    }

    private interface Fitted {
        Dataset<Row> transform(Dataset<Row> table);
    }

    private Map<String, Double> measure(Dataset<Row> train, Dataset<Row> test, IntFunction<Fitted> fit, int length) {
        fit.apply(1).transform(test.limit(100)).count(); // warm
        long began = System.nanoTime();
        Fitted model = fit.apply(length);
        double fitted = seconds(began);
        double accuracy = new MulticlassClassificationEvaluator()
                .setMetricName("accuracy")
                .evaluate(model.transform(test));
        began = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            model.transform(train).selectExpr("sum(prediction)").collectAsList();
        }
        Map<String, Double> numbers = new TreeMap<>();
        numbers.put("fit_seconds", fitted);
        numbers.put("accuracy", accuracy);
        numbers.put("transform_rows_per_second", 3 * TRAIN / seconds(began));
        return numbers;
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private Map<String, Double> tutti() {
        TuttiClassifier classifier = new TuttiClassifier()
                .setModel(network(HIDDEN))
                .setOptimizer(adam(4e-3))
                .setBatchSize(128);
        Dataset<Row> train = train();
        return measure(
                train,
                digits(Mnist.test().take(TEST), false),
                epochs -> classifier.setEpochs(epochs).fit(train)::transform,
                6);
    }

    private Dataset<Row> train() {
        return digits(Mnist.train().take(TRAIN), false);
    }

    static Layer network(int hidden) {
        return Sequential.of(dense(hidden).sigmoid(), dense(10));
    }

    private Map<String, Double> mllib() {
        Dataset<Row> train = digits(Mnist.train().take(TRAIN), true);
        MultilayerPerceptronClassifier classifier = new MultilayerPerceptronClassifier()
                .setLayers(new int[] {784, HIDDEN, 10})
                .setSeed(1);
        return measure(
                train,
                digits(Mnist.test().take(TEST), true),
                iterations -> classifier.setMaxIter(iterations).fit(train)::transform,
                60);
    }

    /** The time of a step with all of 2,000 rows, at a million parameters. */
    private Map<String, Double> allReduce() {
        Dataset<Row> table = digits(Mnist.train().take(TEST), false);
        double[] last = new double[1];
        new TuttiClassifier()
                .setModel(network(MILLION))
                .setBatchSize(TEST)
                .setEpochs(12)
                .callbacks(new Callback() {
                    @Override
                    public void epoch(Run run, EpochResult result) {
                        double each = result.seconds() / Math.max(1, result.steps() / result.epoch());
                        last[0] = last[0] == 0 ? each : Math.min(last[0], each);
                    }
                })
                .fit(table);
        return Map.of("round_seconds", last[0]);
    }

    private Map<String, Double> mapReduce() {
        FedTable table = SparkTables.of(
                "train", digits(Mnist.train().take(TEST), false), List.of("features"), List.of("label"), true);
        double[] best = {Double.MAX_VALUE};
        try (RddEngine engine = new RddEngine(table, 500);
                Trainer trainer = Trainer.of(network(MILLION), adam(1e-3), softmaxCrossEntropy())) {
            trainer.build(Mnist.train().map(Transform.flatten()));
            long[] began = {System.nanoTime()};
            MapReduce.rounds(8).fit(engine, trainer.model(), adam(1e-3), softmaxCrossEntropy(), loss -> {
                best[0] = Math.min(best[0], seconds(began[0]));
                began[0] = System.nanoTime();
            });
        }
        return Map.of("round_seconds", best[0]);
    }
}
