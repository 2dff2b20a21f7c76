package dev.tutti.spark.ml;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.storage.OtherFileSystem;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Predictor;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.ml.feature.StringIndexer;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.tuning.CrossValidator;
import org.apache.spark.ml.tuning.ParamGridBuilder;
import org.apache.spark.ml.tuning.TrainValidationSplit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tutti's estimators as stages of Spark ML, on two executor processes. */
@Timeout(300) // the first one starts the executors
class SparkMlTest {
    /** Uneven, empty, and one with a single row. */
    private static final int[] PARTITIONS = {300, 0, 1, 77, 240};

    private static double accuracy(Dataset<Row> predicted) {
        return new MulticlassClassificationEvaluator().setMetricName("accuracy").evaluate(predicted);
    }

    /** Keeps what epochs have counted. */
    private static final class Counted implements Callback {
        private final List<Long> samples = new ArrayList<>();

        @Override
        public void epoch(Run run, EpochResult result) {
            samples.add(result.training().samples());
        }
    }

    /** What is read from Spark's memory is what the plain way of rows and objects gives, for every type of column. */
    @Test
    void transformGivesWhatThePlainPredictorGives() {
        StructType schema = new StructType()
                .add("id", DataTypes.IntegerType, false)
                .add("floats", DataTypes.createArrayType(DataTypes.FloatType, true))
                .add("doubles", DataTypes.createArrayType(DataTypes.DoubleType, false))
                .add("whole", DataTypes.createArrayType(DataTypes.LongType, true))
                .add("dense", SQLDataTypes.VectorType())
                .add("sparse", SQLDataTypes.VectorType())
                .add("short", DataTypes.ShortType)
                .add("flag", DataTypes.BooleanType)
                .add("money", DataTypes.createDecimalType(10, 2))
                .add("prediction", DataTypes.StringType)
                .add("label", DataTypes.DoubleType);
        Random random = new Random(4);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 601; i++) { // more than two batches
            rows.add(RowFactory.create(
                    i,
                    new float[] {random.nextFloat(), random.nextFloat()},
                    new double[] {random.nextGaussian()},
                    new long[] {random.nextInt(5)},
                    Vectors.dense(random.nextGaussian(), 2),
                    Vectors.sparse(3, new int[] {random.nextInt(3)}, new double[] {random.nextGaussian()}),
                    (short) random.nextInt(9),
                    random.nextBoolean(),
                    new BigDecimal(random.nextInt(900)).movePointLeft(2),
                    "old",
                    (double) random.nextInt(3)));
        }
        Dataset<Row> table = TestSession.get().createDataFrame(rows, schema).repartition(3);
        String[] columns = {"floats", "doubles", "whole", "dense", "sparse", "short", "flag", "money"};
        TuttiClassificationModel model = new TuttiClassifier()
                .setFeaturesCols(columns)
                .setHiddenLayers(4)
                .setEpochs(1)
                .fit(table);
        Dataset<Row> predicted = model.transform(table);
        assertThat(predicted.columns())
                .containsExactly(
                        "id",
                        "floats",
                        "doubles",
                        "whole",
                        "dense",
                        "sparse",
                        "short",
                        "flag",
                        "money",
                        "label",
                        "rawPrediction",
                        "probability",
                        "prediction");
        List<Row> received = predicted.orderBy("id").collectAsList();
        assertThat(received).hasSize(rows.size());
        try (Predictor predictor = model.predictor()) {
            for (int i = 0; i < rows.size(); i++) {
                Row row = received.get(i);
                assertThat(row.getDecimal(8)).isEqualByComparingTo(rows.get(i).getDecimal(8));
                assertThat(row.<Vector>getAs("sparse")).isEqualTo(rows.get(i).get(5));
                float[] values = new float[12];
                int at = 0;
                for (String column : columns) {
                    at += TableColumns.copy(row.getAs(column), column, values, at);
                }
                float[] scores = predictor.predict(NdArray.of(values, 1, 12)).floats();
                assertThat(row.<Double>getAs("prediction"))
                        .isEqualTo((double) Scores.likeliest(scores, 0, scores.length));
                double[] raw = row.<Vector>getAs("rawPrediction").toArray();
                double[] share = row.<Vector>getAs("probability").toArray();
                double[] expected = Scores.probabilities(scores, 0, scores.length);
                for (int k = 0; k < raw.length; k++) {
                    assertThat(raw[k]).isCloseTo(scores[k], offset(1e-5));
                    assertThat(share[k]).isCloseTo(expected[k], offset(1e-5));
                }
            }
        }
        // two models in one query, and a query that asks for some of the columns
        Dataset<Row> twice = model.setPredictionCol("again").transform(predicted);
        assertThat(twice.filter("again = prediction").select("id").distinct().count())
                .isEqualTo(rows.size());
        assertThat(twice.selectExpr("sum(id)").head().getLong(0)).isEqualTo(600L * 601 / 2);
        Dataset<Row> broken = table.withColumn("short", functions.expr("if(id = 300, null, short)"));
        assertThatThrownBy(() -> model.transform(broken).count())
                .hasStackTraceContaining("column 'short' is null in a row");
        assertThatThrownBy(() -> model.setFeaturesCols("dense").transform(table).count())
                .hasStackTraceContaining("have 2 numbers in a row, and the model takes 12");
    }

    @Test
    void learnsFromUnevenPartitionsEachRowOncePerEpoch(@TempDir Path folder) throws Exception {
        Dataset<Row> table = TestSession.blobs(1, PARTITIONS);
        Counted counted = new Counted();
        TuttiClassificationModel model = new TuttiClassifier()
                .setModel(Sequential.of(dense(8).relu(), dense(2)))
                .setOptimizer(adam(0.02))
                .setBatchSize(32)
                .setEpochs(3)
                .callbacks(counted)
                .fit(table);

        assertThat(counted.samples).containsExactly(618L, 618L, 618L);
        Dataset<Row> predicted = model.transform(TestSession.blobs(2, 200, 0, 3));
        assertThat(predicted.columns())
                .containsExactly("features", "label", "rawPrediction", "probability", "prediction");
        assertThat(predicted.count()).isEqualTo(203);
        assertThat(accuracy(predicted)).isGreaterThan(0.95);

        model.write().save(folder.resolve("stage").toUri().toString());
        TuttiClassificationModel loaded =
                TuttiClassificationModel.load(folder.resolve("stage").toUri().toString());
        assertThat(loaded.transform(table).collectAsList())
                .isEqualTo(model.transform(table).collectAsList());

        Row first = predicted.first();
        List<Float> x = first.getList(0);
        Vector raw = first.getAs("rawPrediction");
        try (Predictor ordinary = Predictor.load(folder.resolve("stage/model"))) {
            NdArray scores = ordinary.predict(NdArray.of(new float[] {x.get(0), x.get(1)}, 1, 2));
            assertThat((float) raw.apply(0)).isEqualTo(scores.floats()[0]);
        }
        TuttiClassificationModel ofFolder = TuttiClassificationModel.of(folder.resolve("stage/model"));
        assertThat(accuracy(ofFolder.transform(table))).isEqualTo(accuracy(model.transform(table)));
    }

    @Test
    void worksInAPipelineOfSparksOwnStages(@TempDir Path folder) throws Exception {
        Dataset<Row> raw = TestSession.blobs(3, 200, 200)
                .select(
                        functions.col("features").getItem(0).as("a"),
                        functions.col("features").getItem(1).cast("double").as("b"),
                        functions
                                .when(functions.col("label").equalTo(0), "no")
                                .otherwise("yes")
                                .as("answer"));
        Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {
            new StringIndexer().setInputCol("answer").setOutputCol("label").setStringOrderType("alphabetAsc"),
            new VectorAssembler().setInputCols(new String[] {"a", "b"}).setOutputCol("features"),
            new TuttiClassifier()
                    .setHiddenLayers(8)
                    .setLearningRate(0.02)
                    .setEpochs(3)
                    .setBatchSize(32)
        });
        PipelineModel fitted = pipeline.fit(raw);
        assertThat(accuracy(fitted.transform(raw))).isGreaterThan(0.95);

        String path = folder.resolve("pipeline").toUri().toString();
        fitted.write().save(path);
        assertThat(accuracy(PipelineModel.load(path).transform(raw))).isGreaterThan(0.95);
        pipeline.write().save(path + "-unfitted");
        assertThat(Pipeline.load(path + "-unfitted").getStages()[2]).isInstanceOf(TuttiClassifier.class);
    }

    /** The numbers of a model's parameters. */
    private static float[] parameters(TrainedStage<?> model) {
        try (Predictor predictor = model.predictor()) {
            return predictor.model().vector().values().toArray().floats();
        }
    }

    @Test
    void learnsTheSameFromEveryKindOfFeatureColumn() {
        Dataset<Row> table = TestSession.blobs(11, 40, 25)
                .withColumn("doubles", functions.expr("transform(features, x -> cast(x as double))"))
                .withColumn("a", functions.expr("features[0]"))
                .withColumn("b", functions.expr("cast(features[1] as double)"));
        table = new VectorAssembler()
                .setInputCols(new String[] {"a", "b"})
                .setOutputCol("vector")
                .transform(table)
                .cache();
        TuttiClassifier classifier = new TuttiClassifier()
                .setModel(Sequential.of(dense(4).tanh(), dense(2)))
                .setWorkers(1)
                .setBatchSize(16);
        float[] wanted = parameters(classifier.fit(table));
        for (String column : List.of("doubles", "vector")) {
            assertThat(parameters(classifier.setFeaturesCol(column).fit(table)))
                    .as(column)
                    .isEqualTo(wanted);
        }
        assertThat(parameters(classifier.setFeaturesCols("a", "b").fit(table))).isEqualTo(wanted);
    }

    @Test
    void rowsCountByTheirWeights() {
        Dataset<Row> table = TestSession.blobs(12, 200, 200)
                .withColumn("wrong", functions.expr("abs(hash(features)) % 10 < 7"))
                .withColumn("truth", functions.col("label"))
                .withColumn("label", functions.expr("if(wrong, 1 - label, label)"))
                .withColumn("weight", functions.expr("if(wrong, 0, 2)"))
                .cache();
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(8)
                .setLearningRate(0.02)
                .setEpochs(4)
                .setBatchSize(32);
        Dataset<Row> judged = table.withColumn("label", functions.col("truth"));
        assertThat(accuracy(classifier.fit(table).transform(judged)))
                .as("all rows count the same")
                .isLessThan(0.3);
        assertThat(accuracy(classifier.setWeightCol("weight").fit(table).transform(judged)))
                .isGreaterThan(0.95);
        assertThatThrownBy(() -> classifier.fit(table.withColumn("weight", functions.expr("if(wrong, -1.0, 1.0)"))))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("column 'weight'")
                .hasMessageContaining("received -1.0");
    }

    @Test
    void learnsInRoundsOfMapReduceWithLbfgs(@TempDir Path folder) throws Exception {
        Dataset<Row> table = TestSession.blobs(13, 90, 0, 1, 80).cache();
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(8)
                .setMapReduce(MapReduce.rounds(6).lbfgs());
        TuttiClassificationModel model = classifier.fit(table);
        assertThat(accuracy(model.transform(table))).isGreaterThan(0.95);
        String path = folder.resolve("stage").toUri().toString();
        classifier.write().save(path);
        assertThat(parameters(TuttiClassifier.load(path).fit(table))).isEqualTo(parameters(model));
        assertThatThrownBy(() -> classifier.setMapReduce("{rounds: 0}").fit(table))
                .hasMessageContaining("rounds: expected at least 1");
    }

    /** How many trainings ran at the same time, at most. */
    private static final class Trials extends SparkListener {
        private final Set<Integer> running = new HashSet<>();
        private volatile int most;

        @Override
        public synchronized void onJobStart(SparkListenerJobStart start) {
            if (start.properties().getProperty("spark.jobGroup.id", "").startsWith("tutti-")) {
                running.add(start.jobId());
                most = Math.max(most, running.size());
            }
        }

        @Override
        public synchronized void onJobEnd(SparkListenerJobEnd end) {
            running.remove(end.jobId());
        }
    }

    @Test
    void isTunedByCrossValidation() {
        Trials trials = new Trials();
        TestSession.get().sparkContext().addSparkListener(trials);
        Dataset<Row> table = TestSession.blobs(4, 120, 120);
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(4)
                .setEpochs(2)
                .setBatchSize(16)
                .setWorkers(1);
        ParamMap[] grid = new ParamGridBuilder()
                .addGrid(classifier.learningRate(), new double[] {1e-6, 0.02})
                .build();
        var tuned = new CrossValidator()
                .setEstimator(classifier)
                .setEvaluator(new MulticlassClassificationEvaluator().setMetricName("accuracy"))
                .setEstimatorParamMaps(grid)
                .setNumFolds(2)
                .setParallelism(2)
                .fit(table);
        assertThat(tuned.avgMetrics()[1]).isGreaterThan(0.9).isGreaterThan(tuned.avgMetrics()[0]);
        assertThat(((TuttiClassificationModel) tuned.bestModel()).getOrDefault(classifier.learningRate()))
                .isEqualTo(0.02);
        TestSession.get().sparkContext().removeSparkListener(trials);
        assertThat(trials.most).as("trials side by side").isEqualTo(2);
    }

    @Test
    void isTunedByASplitForTrainingAndValidation() {
        Dataset<Row> table = TestSession.blobs(5, 150, 90);
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(4)
                .setLearningRate(0.02)
                .setBatchSize(16)
                .setWorkers(1);
        ParamMap[] grid = new ParamGridBuilder()
                .addGrid(classifier.epochs(), new int[] {1, 3})
                .build();
        var tuned = new TrainValidationSplit()
                .setEstimator(classifier)
                .setEvaluator(new MulticlassClassificationEvaluator().setMetricName("accuracy"))
                .setEstimatorParamMaps(grid)
                .setTrainRatio(0.75)
                .setParallelism(2)
                .setSeed(1)
                .fit(table);
        assertThat(tuned.validationMetrics()).hasSize(2);
        assertThat(tuned.validationMetrics()[1]).isGreaterThan(0.9);
        assertThat(accuracy(tuned.transform(table))).isGreaterThan(0.9);
    }

    @Test
    void goesOnFromCheckpointsInAFileSystemOfHadoop(@TempDir Path folder) {
        OtherFileSystem.in(TestSession.get().sparkContext().hadoopConfiguration());
        String address = "other://" + folder.resolve("checkpoints");
        Dataset<Row> table = TestSession.blobs(6, 100, 60);
        Counted counted = new Counted();
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(4)
                .setBatchSize(16)
                .setEpochs(2)
                .setCheckpointDir(address)
                .callbacks(counted);
        classifier.fit(table);
        assertThat(folder.resolve("checkpoints").toFile().list()).hasSize(2).allMatch(name -> name.startsWith("step-"));

        classifier.setEpochs(3).setResume(true).fit(table);
        assertThat(counted.samples).as("two epochs, then the third one").containsExactly(160L, 160L, 160L);
        assertThat(folder.resolve("checkpoints").toFile().list()).hasSize(3);

        TuttiClassificationModel whole = new TuttiClassifier()
                .setHiddenLayers(4)
                .setBatchSize(16)
                .setEpochs(3)
                .fit(table);
        TuttiClassificationModel resumed = classifier.fit(table); // all epochs are done: the model of the checkpoint
        Vector wanted = whole.transform(table).first().getAs("probability");
        Vector had = resumed.transform(table).first().getAs("probability");
        assertThat(had.apply(0)).isCloseTo(wanted.apply(0), offset(1e-4));
    }

    @Test
    void learnsANumberFromSeveralColumnsAndMeasuresHeldOutRows() {
        Dataset<Row> table = TestSession.get()
                .range(0, 400, 1, 3)
                .selectExpr(
                        "id % 20 / 10.0 as a",
                        "cast(id % 7 as int) as b", "3.0 * (id % 20) / 10.0 - (id % 7) as label", "id % 5 = 0 as held");
        List<Double> losses = new ArrayList<>();
        TuttiRegressionModel model = new TuttiRegressor()
                .setFeaturesCols("a", "b")
                .setModel(Sequential.of(dense(1)))
                .setOptimizer(adam(0.1))
                .setValidationCol("held")
                .setEpochs(15)
                .setBatchSize(20)
                .callbacks(new Callback() {
                    @Override
                    public void epoch(Run run, EpochResult result) {
                        assertThat(result.training().samples()).isEqualTo(320);
                        assertThat(result.measured().samples()).isEqualTo(80);
                        losses.add(result.measured().loss());
                    }
                })
                .fit(table);
        assertThat(losses.get(14)).isLessThan(0.05).isLessThan(losses.get(0));
        Row row = model.transform(table).filter("a = 1.0 and b = 2").first();
        assertThat(row.<Double>getAs("prediction")).isBetween(0.5, 1.5);
    }

    @Test
    void namesTheColumnThatIsNullOrMissing() {
        StructType schema = new StructType()
                .add("features", DataTypes.createArrayType(DataTypes.FloatType), true)
                .add("label", DataTypes.DoubleType, true);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            rows.add(RowFactory.create(new float[] {i, 1}, i == 40 ? null : 1.0));
        }
        Dataset<Row> table = TestSession.get().createDataFrame(TestSession.partitioned(List.of(rows)), schema);
        TuttiClassifier classifier = new TuttiClassifier().setModel(Sequential.of(dense(2)));
        assertThatThrownBy(() -> classifier.fit(table))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("column 'label' is null");
        assertThatThrownBy(() -> new TuttiClassifier().setFeaturesCol("pixels").fit(table))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("'pixels'")
                .hasMessageContaining("features, label");
    }
}
