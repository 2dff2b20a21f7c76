package dev.tutti.train.checkpoint;

import dev.tutti.comm.GroupChangedException;
import dev.tutti.io.Temporary;
import dev.tutti.train.EpochResult;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Saves checkpoints: after each epoch, when training ends early, and in between when asked to. */
public final class CheckpointSaver implements Callback {
    private final Path folder;
    private final int keep;
    private final long everySteps;
    private final Duration every;
    private long savedStep = -1;
    private long savedAt = System.nanoTime();
    private boolean due;
    private long seenStep;

    public CheckpointSaver(Path folder) {
        this(folder, 3, Long.MAX_VALUE, Duration.ofDays(365));
    }

    private CheckpointSaver(Path folder, int keep, long everySteps, Duration every) {
        if (keep < 1 || everySteps < 1) {
            throw new TrainingException(
                    "checkpoints: keep and steps must be at least 1, received keep " + keep + ", steps " + everySteps);
        }
        this.folder = folder;
        this.keep = keep;
        this.everySteps = everySteps;
        this.every = every;
    }

    /** How many of the newest checkpoints stay on disk; 3 by default. */
    public CheckpointSaver keep(int count) {
        return new CheckpointSaver(folder, count, everySteps, every);
    }

    /** Also after every so many steps. */
    public CheckpointSaver everySteps(long steps) {
        return new CheckpointSaver(folder, keep, steps, every);
    }

    /** Also whenever so much time has passed since the last one. */
    public CheckpointSaver every(Duration time) {
        return new CheckpointSaver(folder, keep, everySteps, time);
    }

    @Override
    public Optional<Path> checkpointFolder() {
        return Optional.of(folder);
    }

    @Override
    public boolean needsState(Run run) {
        due = (run.step() + 1) % everySteps == 0 || System.nanoTime() - savedAt > every.toNanos();
        return due;
    }

    @Override
    public void begin(Run run) {
        seenStep = run.step();
        if (run.isChief()) {
            Temporary.sweep(folder); // what a killed writer left: only the chief writes here
        }
    }

    @Override
    public void step(Run run) {
        // Members that agree now and then come by several steps at once.
        boolean passed = run.step() / everySteps > seenStep / everySteps;
        seenStep = run.step();
        if (due || passed) {
            save(run);
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        save(run);
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        // Members that were lost leave a state behind that all had agreed on; other failures may not.
        boolean sound = failure.map(why -> why instanceof GroupChangedException).orElseGet(run::isChief);
        if (sound && run.step() != savedStep) {
            save(run);
        }
    }

    private void save(Run run) {
        run.saveCheckpoint(folder, keep);
        savedStep = run.step();
        savedAt = System.nanoTime();
        due = false;
    }
}
