package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.json.ShortForm;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.callback.Mlflow;
import dev.tutti.train.callback.TensorBoard;
import dev.tutti.train.transfer.GradualUnfreezing;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A callback as a job file names it; {@link #make} gives one that works. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public abstract class JobCallback {
    /** Makes the callback for a run that writes into this folder. */
    public abstract Callback make(RunFolder output);

    /** The value it follows, so that a name that does not exist is found before training. */
    Optional<String> follows() {
        return Optional.empty();
    }

    private static Path place(String said, RunFolder output, String otherwise) {
        return said == null ? output.path().resolve(otherwise) : Path.of(said);
    }

    static final class Unfreezing extends JobCallback {
        private List<String> order = List.of();
        private int every = 1;

        @Override
        public Callback make(RunFolder output) {
            return new GradualUnfreezing(order, every);
        }
    }

    static final class EarlyStopping extends JobCallback {
        private String metric = "loss";
        private int patience = 3;

        @Override
        public Callback make(RunFolder output) {
            return Callbacks.earlyStopping(metric, patience);
        }

        @Override
        Optional<String> follows() {
            return Optional.of(metric);
        }
    }

    static final class BestModel extends JobCallback {
        private String metric = "loss";
        private String folder;

        @Override
        public Callback make(RunFolder output) {
            return Callbacks.bestModel(folder == null ? output.best() : Path.of(folder), metric);
        }

        @Override
        Optional<String> follows() {
            return Optional.of(metric);
        }
    }

    static final class TensorBoardLog extends JobCallback {
        private String folder;
        private Long everySteps;

        @Override
        public Callback make(RunFolder output) {
            TensorBoard log = Callbacks.tensorBoard(place(folder, output, "tensorboard"));
            return everySteps == null ? log : log.everySteps(everySteps);
        }
    }

    /** The token of the server, where it wants one, is the environment variable {@code MLFLOW_TRACKING_TOKEN}. */
    static final class MlflowLog extends JobCallback {
        private String server = "http://127.0.0.1:5000";
        private String experiment = "tutti";

        @Override
        public Callback make(RunFolder output) {
            Path folder = output.path().toAbsolutePath().normalize();
            Mlflow log = Callbacks.mlflow(URI.create(server), experiment)
                    .named(String.valueOf(folder.getFileName()))
                    .rememberIn(folder.resolve("mlflow.json"));
            String token = System.getenv("MLFLOW_TRACKING_TOKEN");
            return token == null ? log : log.token(token);
        }
    }

    static final class Csv extends JobCallback {
        private String file;

        @Override
        public Callback make(RunFolder output) {
            return Callbacks.csv(place(file, output, "epochs.csv"));
        }
    }

    static final class LearningRateLog extends JobCallback {
        @Override
        public Callback make(RunFolder output) {
            return Callbacks.learningRateLog();
        }
    }
}
