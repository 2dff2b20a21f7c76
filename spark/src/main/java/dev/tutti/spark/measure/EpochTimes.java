package dev.tutti.spark.measure;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.train.Fit.epochs;

import dev.tutti.cluster.Cluster;
import dev.tutti.data.Mnist;
import dev.tutti.data.transform.Transform;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.spark.launch.SessionPlace;
import dev.tutti.spark.ml.SparkTables;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.profile.MemberTime;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Epochs of the same training on executors, from a table, and in processes that Tutti starts itself, from files. */
final class EpochTimes {
    private static final int ROWS = 10_000;
    private static final int HIDDEN = 512;
    private static final int BATCH = 128;
    private static final int EPOCHS = 5;

    private EpochTimes() {}

    /** Also the part of the steps in which members waited for rows. */
    static Map<String, Double> ofTable(SparkSession session, Dataset<Row> table) {
        SessionPlace place = new SessionPlace(session)
                .table(SparkTables.of("train", table, List.of("features"), List.of("label"), true));
        try (Trainer trainer = trainer()) {
            History history = place.describing(() -> trainer.fit(
                    TuttiSpark.rows(place, "train").shuffle(1).batch(BATCH),
                    epochs(EPOCHS).on(TuttiSpark.on(place)).quiet()));
            List<MemberTime> members = history.times().members();
            double feeding = members.stream().mapToDouble(MemberTime::feeding).sum();
            double steps = members.stream().mapToDouble(MemberTime::inSteps).sum();
            return Map.of("epoch_seconds", best(history), "feeding_share", steps == 0 ? 0 : feeding / steps);
        }
    }

    static Map<String, Double> ofProcesses() {
        try (Trainer trainer = trainer()) {
            History history = trainer.fit(
                    Mnist.train().take(ROWS).map(Transform.flatten()).shuffle(1).batch(BATCH),
                    epochs(EPOCHS).on(Cluster.processes(2)).quiet());
            return Map.of("epoch_seconds", best(history));
        }
    }

    private static Trainer trainer() {
        return Trainer.of(SparkMeasurement.network(HIDDEN), adam(1e-3), softmaxCrossEntropy())
                .cores(1);
    }

    /** The fastest epoch: the first ones compile and read. */
    private static double best(History history) {
        return history.epochs().stream().mapToDouble(EpochResult::seconds).min().orElseThrow();
    }
}
