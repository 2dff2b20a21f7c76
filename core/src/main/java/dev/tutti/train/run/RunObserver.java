package dev.tutti.train.run;

import dev.tutti.host.ProcessLiveness;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Follows a run through its folder, from any process that can read it: runs callbacks, copies checkpoints, shows progress, ends the run.
 * It computes nothing, and the run does not depend on it: it may be killed and come back.
 *
 * <pre>{@code
 * RunObserver run = RunObserver.of(Path.of("runs/digits"));
 * RunStatus end = run.follow(Duration.ofHours(1), Callbacks.progress(), Callbacks.earlyStopping("loss", 3));
 * }</pre>
 */
public final class RunObserver {
    private static final long POLL_MILLIS = 100;
    /** A process that has written nothing for so long is given up where its machine cannot be asked. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final RunFiles files;

    private RunObserver(Path folder) {
        files = new RunFiles(folder);
    }

    /** @param folder the folder of a run, which may not have begun yet */
    public static RunObserver of(Path folder) {
        return new RunObserver(folder);
    }

    /** How the run is doing; empty if none was recorded in the folder. */
    public Optional<RunStatus> status() {
        return files.readStatus()
                .map(status -> status.state().hasEnded() || isAlive(status)
                        ? status
                        : status.ended(
                                RunState.LOST,
                                status.updated(),
                                "process " + status.process() + " is gone since " + status.updated()));
    }

    /** Whether the folder tells of the run of a process of this machine. */
    public boolean isOf(long process) {
        return files.readStatus()
                .filter(status -> RunFiles.pidOf(status.process()) == process)
                .filter(status -> RunFiles.hostOf(status.process()).equals(RunFiles.hostOf(RunFiles.thisProcess())))
                .isPresent();
    }

    private static boolean isAlive(RunStatus status) {
        if (RunFiles.hostOf(status.process()).equals(RunFiles.hostOf(RunFiles.thisProcess()))) {
            long pid = RunFiles.pidOf(status.process());
            return ProcessHandle.of(pid)
                    .filter(process -> ProcessLiveness.isAlive(pid))
                    .filter(process -> Math.abs(RunFiles.startOf(process) - status.processStarted()) < 2000)
                    .isPresent();
        }
        return Instant.parse(status.updated()).plus(SILENCE).isAfter(Instant.now());
    }

    /** What was measured so far, in order. */
    public List<RunEvent> events() {
        return new EventReader(files.metrics()).next();
    }

    /** Asks the run to end after the step under way. */
    public void stop(String reason) {
        files.ask(new RunFiles.Request(reason, null, null));
    }

    /**
     * Waits for the end of the run.
     *
     * @return its last status, which tells how it ended
     * @throws TrainingException if it has not ended within the limit
     */
    public RunStatus await(Duration limit) {
        return follow(limit);
    }

    /**
     * Tells callbacks of all that was measured so far, then of what is measured from now on, until the run ends. What happened before an
     * observer came is told to it as well. Steps are told that were recorded, which are some of them where they are many.
     *
     * @return the last status, which tells how the run ended
     * @throws TrainingException if it has not ended within the limit
     */
    public RunStatus follow(Duration limit, Callback... callbacks) {
        long deadline = System.nanoTime() + limit.toNanos();
        ObservedRun run = new ObservedRun(files, firstStatus(deadline, limit));
        for (Callback callback : callbacks) {
            callback.begin(run);
        }
        EventReader reader = new EventReader(files.metrics());
        long seen = -1; // steps that were told
        int epochs = 0;
        while (true) {
            RunStatus now = status().orElseThrow(this::gone);
            run.at(now);
            for (RunEvent event : reader.next()) {
                if (event.isEpoch() ? event.epoch() > epochs : event.step() > seen) {
                    run.at(event);
                    seen = Math.max(seen, event.step());
                    epochs = event.isEpoch() ? event.epoch() : epochs;
                    tell(run, event, callbacks);
                }
            }
            if (now.state().hasEnded()) {
                end(run, now, callbacks);
                return now;
            }
            pause(deadline, limit);
        }
    }

    private static void tell(ObservedRun run, RunEvent event, Callback... callbacks) {
        for (Callback callback : callbacks) {
            if (event.isEpoch()) {
                callback.epoch(run, event.result().orElseThrow());
            } else {
                callback.step(run);
            }
        }
    }

    private static void end(ObservedRun run, RunStatus last, Callback... callbacks) {
        boolean failed = last.state() == RunState.FAILED || last.state() == RunState.LOST;
        for (Callback callback : callbacks) {
            callback.end(
                    run,
                    failed
                            ? Optional.of(new TrainingException(last.message().orElse("the run failed")))
                            : Optional.empty());
        }
    }

    private RunStatus firstStatus(long deadline, Duration limit) {
        Optional<RunStatus> first = status();
        while (first.isEmpty()) {
            pause(deadline, limit);
            first = status();
        }
        return first.get();
    }

    private void pause(long deadline, Duration limit) {
        if (System.nanoTime() > deadline) {
            throw new TrainingException("the run in " + files.folder() + " has not ended within " + limit.toSeconds()
                    + " s" + (Files.exists(files.status()) ? "" : ": nothing was recorded there"));
        }
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TrainingException("interrupted while following the run in " + files.folder());
        }
    }

    private TrainingException gone() {
        return new TrainingException("the folder " + files.folder() + " was removed while its run was followed");
    }
}
