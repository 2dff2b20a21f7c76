package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.train.callback.Callbacks;
import dev.tutti.train.checkpoint.CheckpointSaver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** When checkpoints are written: after each epoch, and in between. */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class JobCheckpoints {
    private static final double SECONDS_PER_MINUTE = 60;

    private String folder;
    private int keep = 3;
    private Long everySteps;
    /** A crash costs no more than this, and a checkpoint of a large model takes seconds. */
    private double everyMinutes = 5;

    JobCheckpoints() {}

    /** Where they are written; {@code checkpoints} in the job's output by default. */
    public Path folder(RunFolder output) {
        return folder == null ? output.checkpoints() : Path.of(folder);
    }

    /** How many of the newest ones stay. */
    public int keep() {
        return keep;
    }

    public OptionalLong everySteps() {
        return everySteps == null ? OptionalLong.empty() : OptionalLong.of(everySteps);
    }

    public double everyMinutes() {
        return everyMinutes;
    }

    CheckpointSaver saver(RunFolder output) {
        CheckpointSaver saver = Callbacks.checkpoint(folder(output))
                .keep(keep)
                .every(Duration.ofMillis(Math.round(everyMinutes * SECONDS_PER_MINUTE * 1000)));
        return everySteps == null ? saver : saver.everySteps(everySteps);
    }
}
