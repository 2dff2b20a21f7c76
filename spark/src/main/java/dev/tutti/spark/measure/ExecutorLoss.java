package dev.tutti.spark.measure;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.optim.Optimizers.adam;

import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.comm.Member;
import dev.tutti.spark.TuttiSpark;
import dev.tutti.spark.launch.ScratchFolder;
import dev.tutti.spark.launch.SessionPlace;
import dev.tutti.spark.ml.SparkTables;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** How soon a training goes on when one of two executors is killed, and how soon it has two members again. */
final class ExecutorLoss {
    private static final int BEFORE = 60;
    private static final double LONGEST_SECONDS = 60;

    private final SparkSession session;

    ExecutorLoss(SparkSession session) {
        this.session = session;
    }

    /** Trains until the group has two members again. */
    Map<String, Double> measure(Dataset<Row> table) {
        SessionPlace place = new SessionPlace(session)
                .table(SparkTables.of("train", table, List.of("features"), List.of("label"), true));
        try (ScratchFolder folder = ScratchFolder.create("loss");
                Trainer trainer = Trainer.of(SparkMeasurement.network(128), adam(1e-3), softmaxCrossEntropy())
                        .cores(1)) {
            Watch watch = new Watch(folder.path());
            place.describing(() -> trainer.fit(
                    TuttiSpark.rows(place, "train").shuffle(1).batch(128),
                    Fit.epochs(100_000)
                            .on(TuttiSpark.on(place).reachableThrough(folder.path()))
                            .callbacks(watch)
                            .quiet()));
            return Map.of("next_step_seconds", watch.nextStep, "full_strength_seconds", watch.fullStrength);
        }
    }

    private static final class Watch implements Callback {
        private final Path folder;
        private int steps;
        private long killed;
        private boolean noticed;
        private double nextStep;
        private double fullStrength = LONGEST_SECONDS;

        Watch(Path folder) {
            this.folder = folder;
        }

        @Override
        public void step(Run run) {
            steps++;
            if (steps == BEFORE) {
                kill();
                return;
            }
            if (killed == 0) {
                return;
            }
            double passed = (System.nanoTime() - killed) / 1e9;
            if (nextStep == 0) {
                nextStep = passed;
            } else if (passed > LONGEST_SECONDS) {
                run.stop("no member came");
            } else if (steps % 10 == 0) {
                boolean both = members() >= 2;
                noticed |= !both;
                if (both && noticed) {
                    fullStrength = passed;
                    run.stop("full strength");
                }
            }
        }

        private void kill() {
            ProcessHandle executor = ProcessHandle.current()
                    .descendants()
                    .filter(process -> process.info().command().orElse("").endsWith("java"))
                    .findFirst()
                    .orElseThrow(() -> new TrainingException("no executor was found among the processes"));
            try {
                new ProcessBuilder("kill", "-9", "" + executor.pid()).start().waitFor();
            } catch (IOException e) {
                throw new TrainingException("the executor could not be killed: " + e.getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TrainingException("interrupted while an executor was killed", e);
            }
            killed = System.nanoTime();
        }

        /** Members of the present group; the one that was killed is among them until the others have noticed. */
        private long members() {
            TlsFiles none = new TlsFiles(null, null, null);
            try (CoordinatorClient client = new CoordinatorClient(new CoordinatorFolder(folder).address(none))) {
                return client.overview().members().stream()
                        .filter(member ->
                                member.role().equals(Member.WORKER) && member.gone() == null && member.rank() >= 0)
                        .count();
            }
        }
    }
}
