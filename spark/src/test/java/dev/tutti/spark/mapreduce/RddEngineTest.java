package dev.tutti.spark.mapreduce;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.data.transform.Transform;
import dev.tutti.json.Json;
import dev.tutti.nn.Sequential;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.spark.launch.FedTable;
import dev.tutti.spark.ml.DataParallelOptimizer;
import dev.tutti.spark.ml.ModelFiles;
import dev.tutti.spark.ml.SparkTables;
import dev.tutti.spark.ml.TuttiClassifier;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.strategy.mapreduce.RangeShuffle;
import dev.tutti.strategy.mapreduce.ThreadEngine;
import dev.tutti.train.History;
import dev.tutti.train.Launcher;
import dev.tutti.train.Predictor;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.feature.LabeledPoint;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** MapReduce and the short form over RDDs, on two executor processes. */
@Timeout(300)
class RddEngineTest {
    private static Trainer trainer() {
        return Trainer.of(Sequential.of(dense(4).tanh(), dense(2)), sgd(0.2), softmaxCrossEntropy())
                .seed(2);
    }

    @Test
    void roundsOfSparkAreThoseOfThreads() {
        var table = TestSession.blobs(5, 30, 0, 31, 20);
        List<Row> rows = table.collectAsList();
        float[] x = new float[rows.size() * 2];
        long[] y = new long[rows.size()];
        for (int i = 0; i < y.length; i++) {
            List<Float> both = rows.get(i).getList(0);
            x[2 * i] = both.get(0);
            x[2 * i + 1] = both.get(1);
            y[i] = (long) rows.get(i).getDouble(1);
        }
        Dataset same = Dataset.of(NdArray.of(x, y.length, 2), NdArray.of(y, y.length));
        FedTable fed = SparkTables.of("train", table, List.of("features"), List.of("label"), true);
        try (ThreadEngine threads = new ThreadEngine(same.batch(16), 3, 2);
                RddEngine spark = new RddEngine(fed, 16)) {
            for (RangeShuffle shuffle : RangeShuffle.values()) {
                try (Trainer mine = trainer();
                        Trainer theirs = trainer()) {
                    mine.build(same);
                    theirs.build(same);
                    MapReduce rounds = MapReduce.rounds(3).shuffle(shuffle).ranges(5, 2);
                    rounds.fit(spark, mine.model(), sgd(0.2), softmaxCrossEntropy());
                    rounds.fit(threads, theirs.model(), sgd(0.2), softmaxCrossEntropy());
                    float[] expected =
                            theirs.model().vector().values().toArray().floats();
                    float[] received = mine.model().vector().values().toArray().floats();
                    for (int i = 0; i < expected.length; i++) {
                        assertThat(received[i]).isCloseTo(expected[i], offset(1e-5f));
                    }
                }
            }
        }
    }

    /** The same strategy on two threads and as Spark jobs on two executors, from data that both read. */
    @Test
    void theStrategyComesToTheSameOnSparkAndOnThreads() {
        Dataset digits = Mnist.train().take(240).map(Transform.flatten()).batch(40);
        for (String definition : List.of("{type: mapReduce, shuffle: HASH}", "{type: mapReduce, localEpochs: 1}")) {
            Strategy strategy = Json.readYaml(definition, Strategy.class, "here");
            try (Trainer mine = digits();
                    Trainer theirs = digits()) {
                History there = mine.fit(
                        digits,
                        epochs(3)
                                .on(TuttiSpark.on(TestSession.get()))
                                .with(strategy)
                                .quiet());
                theirs.fit(
                        digits, epochs(3).on(Launcher.threads(2)).with(strategy).quiet());
                assertThat(there.epochs()).hasSize(3);
                there.epochs()
                        .forEach(epoch -> assertThat(epoch.training().samples()).isEqualTo(240));
                float[] expected = theirs.model().vector().values().toArray().floats();
                float[] received = mine.model().vector().values().toArray().floats();
                for (int i = 0; i < expected.length; i++) {
                    assertThat(received[i]).as(definition).isCloseTo(expected[i], offset(1e-4f));
                }
            }
        }
    }

    private static Trainer digits() {
        return Trainer.of(Sequential.of(dense(8).tanh(), dense(10)), sgd(0.2), softmaxCrossEntropy())
                .seed(3)
                .cores(1);
    }

    @Test
    void anEstimatorTakesTheStrategy(@TempDir Path folder) {
        var table = TestSession.blobs(5, 130, 0, 131, 100);
        TuttiClassifier classifier = new TuttiClassifier()
                .setHiddenLayers(8)
                .setOptimizer(adam(0.05))
                .setBatchSize(32)
                .setEpochs(15)
                .setStrategy("{type: mapReduce}")
                .setCheckpointDir(folder.toString());
        var predicted = classifier.fit(table).transform(table);
        assertThat(predicted.filter("prediction = label").count()).isGreaterThan(340);
        assertThat(folder.toFile().list()).isNotEmpty();
        assertThatThrownBy(() -> classifier
                        .setValidationCol("label")
                        .setCheckpointDir(folder.resolve("other").toString())
                        .fit(table))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("leave validation out");
    }

    @Test
    void theShortFormLearnsFromLinesOfText(@TempDir Path folder) {
        List<String> lines = new ArrayList<>();
        for (Row row : TestSession.blobs(6, 300).collectAsList()) {
            List<Float> x = row.getList(0);
            lines.add(x.get(0) + ", " + x.get(1) + ", " + row.getDouble(1));
        }
        JavaRDD<String> rdd = JavaSparkContext.fromSparkContext(
                        TestSession.get().sparkContext())
                .parallelize(lines, 3);
        DataParallelOptimizer.of(Sequential.of(dense(8).relu(), dense(2)), 32)
                .optimizer(adam(0.02))
                .epochs(4)
                .output(folder.resolve("model").toUri().toString())
                .fit(rdd);
        try (Predictor predictor = Predictor.load(folder.resolve("model"))) {
            float[] scores = predictor
                    .predict(NdArray.of(new float[] {-2, 1, 2, -1}, 2, 2))
                    .floats();
            assertThat(scores[0]).isGreaterThan(scores[1]);
            assertThat(scores[3]).isGreaterThan(scores[2]);
        }
    }

    private static float[] trained(JavaRDD<?> rdd) {
        ModelFiles files = DataParallelOptimizer.of(Sequential.of(dense(4).tanh(), dense(2)), 16)
                .fit(rdd);
        try (Predictor predictor = files.predictor()) {
            return predictor.model().vector().values().toArray().floats();
        }
    }

    @Test
    void theShortFormTakesRowsArraysAndPointsAlike() {
        List<float[]> arrays = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        List<LabeledPoint> points = new ArrayList<>();
        for (Row row : TestSession.blobs(8, 60).collectAsList()) {
            List<Float> x = row.getList(0);
            arrays.add(new float[] {x.get(0), x.get(1), (float) row.getDouble(1)});
            Vector vector = Vectors.dense(x.get(0), x.get(1));
            rows.add(RowFactory.create(vector, (int) row.getDouble(1)));
            points.add(new LabeledPoint(row.getDouble(1), vector));
        }
        JavaSparkContext context =
                JavaSparkContext.fromSparkContext(TestSession.get().sparkContext());
        float[] wanted = trained(context.parallelize(arrays, 2));
        assertThat(trained(context.parallelize(rows, 2))).isEqualTo(wanted);
        assertThat(trained(context.parallelize(points, 2))).isEqualTo(wanted);
        assertThatThrownBy(() -> trained(context.parallelize(List.of("1,2,x"), 1)))
                .hasMessageContaining("received 'x'");
    }
}
