package dev.tutti.spark.streaming;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.nn.Sequential;
import dev.tutti.spark.TestSession;
import dev.tutti.spark.ml.TuttiClassificationModel;
import dev.tutti.spark.ml.TuttiClassifier;
import dev.tutti.train.Predictor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model that goes on learning from a stream of Spark. */
@Timeout(300)
class StreamLearnerTest {
    private static TuttiClassifier classifier() {
        return new TuttiClassifier()
                .setModel(Sequential.of(dense(8).relu(), dense(2)))
                .setOptimizer(adam(0.02))
                .setEpochs(3)
                .setBatchSize(32);
    }

    @Test
    void learnsEveryBatchOncePublishesVersionsAndStepsBack(@TempDir Path folder) throws Exception {
        Path versions = folder.resolve("repository/points");
        Dataset<Row> held = TestSession.blobs(9, 200).cache();
        var evaluator = new MulticlassClassificationEvaluator().setMetricName("accuracy");
        StreamLearner<TuttiClassificationModel> learner = new StreamLearner<>(
                classifier(),
                TuttiClassificationModel::of,
                model -> evaluator.evaluate(model.transform(held)),
                versions,
                0.02);

        Path incoming = folder.resolve("incoming");
        TestSession.blobs(7, 300).write().parquet(incoming.resolve("a").toString());
        Dataset<Row> stream = TestSession.get()
                .readStream()
                .schema(TestSession.schema())
                .option("recursiveFileLookup", "true")
                .parquet(incoming.toString());
        StreamingQuery query = stream.writeStream()
                .foreachBatch(learner)
                .option("checkpointLocation", folder.resolve("progress").toString())
                .trigger(Trigger.AvailableNow())
                .start();
        assertThat(query.awaitTermination(200_000)).isTrue();
        assertThat(published(versions)).containsExactly("1");
        try (Predictor served = Predictor.load(versions.resolve("1"))) {
            assertThat(served.model().vector().size()).isEqualTo(42);
        }

        learner.call(TestSession.blobs(7, 300), 0L); // delivered again
        assertThat(published(versions)).containsExactly("1");

        learner.call(TestSession.blobs(8, 200), 1L);
        assertThat(published(versions)).containsExactly("1", "2");

        Dataset<Row> wrong = TestSession.blobs(8, 400).withColumn("label", functions.expr("1 - label"));
        learner.call(wrong, 2L);
        assertThat(published(versions)).containsExactly("1", "2"); // stepped back
        learner.call(wrong, 2L);
        learner.call(TestSession.blobs(10, 200), 3L);
        assertThat(published(versions)).containsExactly("1", "2", "3");

        // The model of a version predicts on a stream as it does on a table.
        Dataset<Row> predicted =
                TuttiClassificationModel.of(versions.resolve("3")).transform(stream);
        StreamingQuery asked = predicted
                .writeStream()
                .format("memory")
                .queryName("predicted")
                .trigger(Trigger.AvailableNow())
                .start();
        assertThat(asked.awaitTermination(100_000)).isTrue();
        Dataset<Row> answers = TestSession.get().table("predicted");
        assertThat(answers.count()).isEqualTo(300);
        assertThat(evaluator.evaluate(answers)).isGreaterThan(0.9);
    }

    private static List<String> published(Path versions) throws IOException {
        try (var entries = Files.list(versions)) {
            return entries.filter(Files::isDirectory)
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }
}
