package dev.tutti.spark.measure;

import dev.tutti.data.Mnist;
import dev.tutti.spark.launch.SessionSettings;
import dev.tutti.spark.ml.TuttiClassificationModel;
import dev.tutti.spark.ml.TuttiClassifier;
import java.util.Map;
import org.apache.spark.ml.evaluation.MulticlassClassificationEvaluator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Learns all digits of MNIST from a table, with the network of the job mnist. */
public final class DigitsExample {
    private static final int PARTS = 16;
    private static final String NETWORK = """
            type: sequential
            layers:
              - {type: conv2d, filters: 32, kernel: 3, padding: 1, activation: relu}
              - {type: maxPool2d, size: 2}
              - {type: conv2d, filters: 64, kernel: 3, padding: 1, activation: relu}
              - {type: maxPool2d, size: 2}
              - flatten
              - {type: dense, units: 128, activation: relu}
              - {type: dropout, rate: 0.5}
              - {type: dense, units: 10}
            """;

    private DigitsExample() {}

    /** Gives the accuracy on the test images, and the seconds of {@code fit}. */
    public static Map<String, Double> run(String master, int epochs) {
        SparkSession session = new SessionSettings(SessionSettings.ofMaster(master)).open();
        try {
            Dataset<Row> train = SparkMeasurement.digits(session, Mnist.train(), false, PARTS);
            TuttiClassifier classifier = new TuttiClassifier()
                    .setModel(NETWORK)
                    .setFeatureShape(1, 28, 28)
                    .setOptimizer("{type: adam, learningRate: 0.003, schedule: {type: cosine, warmup: 200}}")
                    .setBatchSize(128)
                    .setEpochs(epochs)
                    .setSeed(7);
            long began = System.nanoTime();
            TuttiClassificationModel model = classifier.fit(train);
            double seconds = (System.nanoTime() - began) / 1e9;
            Dataset<Row> test = SparkMeasurement.digits(session, Mnist.test(), false, PARTS);
            double accuracy = new MulticlassClassificationEvaluator()
                    .setMetricName("accuracy")
                    .evaluate(model.transform(test));
            return Map.of("accuracy", accuracy, "fit_seconds", seconds);
        } finally {
            session.stop();
        }
    }
}
