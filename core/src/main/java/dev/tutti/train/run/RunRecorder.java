package dev.tutti.train.run;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes into a run's folder how it is doing, and does what observers ask of it there.
 *
 * <ul>
 *   <li>{@code status.json}: a {@link RunStatus}, written anew about every second while the process lives
 *   <li>{@code metrics.jsonl}: a {@link RunEvent} in each line, for each epoch and for steps, at most ten in a second
 *   <li>{@code recipe.json}: what is learned and how
 * </ul>
 *
 * <p>Order of calls: as a callback; it belongs behind the one that saves checkpoints, so that these are on disk before they are told
 * of. {@link #start} before training and {@link #finish} or {@link #fail} after it, where the run has more to do than to train.
 */
public final class RunRecorder implements Callback, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunRecorder.class);
    private static final long HEARTBEAT_MILLIS = 1000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RunFiles files;
    private final String started = RunFiles.now();
    private Thread heart;
    private boolean hasMore; // of the run, after training
    private boolean member; // of several that share the folder
    private long toldStep = -1;
    private long toldAt;
    private RunStatus status; // guarded by this

    public RunRecorder(Path folder) {
        files = new RunFiles(folder);
    }

    /** The run begins with something else than training, and {@link #finish} or {@link #fail} will end it. */
    public synchronized void start(int epochs) {
        hasMore = true;
        dropRequests();
        begin(new RunStatus(
                RunState.RUNNING,
                RunFiles.thisProcess(),
                RunFiles.startOf(ProcessHandle.current()),
                started,
                started,
                0,
                epochs,
                0,
                0,
                0,
                Double.NaN,
                Double.NaN,
                Map.of(),
                Optional.empty()));
    }

    /**
     * The same for one of several members that share the folder: it writes nothing unless it becomes the chief, since the status of the run
     * is the chief's.
     */
    public synchronized void startAsMember() {
        hasMore = true;
        member = true;
    }

    /** Requests that came too late for the run before. */
    private void dropRequests() {
        try {
            files.takeRequests();
        } catch (IOException e) {
            throw new FileException(files.folder().toString(), "its requests cannot be read: " + e.getMessage(), e);
        }
    }

    private void begin(RunStatus first) {
        status = first;
        AtomicFile.write(files.status(), Json.write(first) + "\n");
        if (heart == null) {
            heart = new Thread(this::beat, "tutti-run-status");
            heart.setDaemon(true);
            heart.start();
        }
    }

    private void beat() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.sleep(HEARTBEAT_MILLIS);
                writeStatus();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void writeStatus() {
        if (status != null && !status.state().hasEnded()) {
            try {
                files.heartbeat(status.at(RunFiles.now()));
            } catch (IOException e) {
                LOG.warn("the status of the run cannot be written to {}: {}", files.status(), e.toString());
            }
        }
    }

    @Override
    public void begin(Run run) {
        synchronized (this) {
            if (!hasMore || member && run.step() == 0) {
                dropRequests();
            }
            begin(statusOf(run));
        }
        forgetAfter(run.step());
        try {
            AtomicFile.write(files.recipe(), Json.write(run.recipe()) + "\n");
        } catch (FileException e) {
            throw e;
        } catch (TuttiException e) {
            LOG.debug("observers do not learn the recipe, which holds parts without a name in files", e);
        }
    }

    private RunStatus statusOf(Run run) {
        return new RunStatus(
                RunState.RUNNING,
                RunFiles.thisProcess(),
                RunFiles.startOf(ProcessHandle.current()),
                started,
                RunFiles.now(),
                Math.min(run.epoch(), run.epochs()),
                run.epochs(),
                run.step(),
                run.stepsPerEpoch().orElse(0),
                run.samplesSeen(),
                run.lastLoss(),
                run.learningRate(),
                run.settings(),
                Optional.empty());
    }

    /** A run that goes on from a checkpoint does the steps behind it once more. */
    private void forgetAfter(long step) {
        String kept = step == 0
                ? ""
                : new EventReader(files.metrics())
                        .next().stream()
                                .filter(event -> event.step() <= step)
                                .map(RunFiles::line)
                                .collect(Collectors.joining());
        AtomicFile.write(files.metrics(), kept);
    }

    @Override
    public void step(Run run) {
        synchronized (this) {
            status = statusOf(run);
        }
        if (System.nanoTime() - toldAt >= STEP_NANOS) {
            tell(run, Optional.empty());
            answer(run);
        }
    }

    @Override
    public void epoch(Run run, EpochResult result) {
        if (toldStep != run.step()) {
            tell(run, Optional.empty()); // the last step of an epoch is always told
        }
        tell(run, Optional.of(result));
        answer(run);
        synchronized (this) {
            status = statusOf(run);
        }
        writeStatus();
    }

    private void tell(Run run, Optional<EpochResult> result) {
        toldAt = System.nanoTime();
        toldStep = run.step();
        int epoch = result.map(EpochResult::epoch).orElseGet(run::epoch);
        try {
            Files.writeString(
                    files.metrics(),
                    RunFiles.line(new RunEvent(
                            epoch, run.step(), run.lastLoss(), run.learningRate(), run.samplesSeen(), result)),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw FileException.cannotBeWritten(files.metrics(), e);
        }
    }

    private void answer(Run run) {
        try {
            for (RunFiles.Request request : files.takeRequests()) {
                if (request.key() == null) {
                    run.stop(request.stop());
                } else {
                    run.configure(request.key(), request.value());
                }
            }
        } catch (TuttiException | IOException e) {
            LOG.warn("a request of an observer cannot be followed: {}", e.getMessage());
        }
    }

    @Override
    public void end(Run run, Optional<Throwable> failure) {
        if (failure.isPresent()) {
            fail(failure.get());
        } else if (!hasMore) {
            end(run.stopping() ? RunState.STOPPED : RunState.COMPLETED, null);
        }
    }

    /** The run has done all that it had to do. */
    public void finish(History history) {
        end(
                switch (history.ending()) {
                    case COMPLETED -> RunState.COMPLETED;
                    case STOPPED -> RunState.STOPPED;
                    case INTERRUPTED -> RunState.INTERRUPTED;
                },
                history.reason().orElse(null));
    }

    /** The run has failed. */
    public void fail(Throwable failure) {
        end(RunState.FAILED, failure.getClass().getSimpleName() + ": " + failure.getMessage());
    }

    private synchronized void end(RunState state, String why) {
        if (status != null && !status.state().hasEnded()) {
            status = status.ended(state, RunFiles.now(), why);
            AtomicFile.write(files.status(), Json.write(status) + "\n");
        }
        close();
    }

    @Override
    public synchronized void close() {
        if (heart != null) {
            heart.interrupt();
            heart = null;
        }
    }
}
