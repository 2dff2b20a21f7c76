package dev.tutti.cluster.launch;

import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.job.Job;
import dev.tutti.train.run.RunObserver;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A job that trains in a process of its own, which goes on when the one that started it ends or is killed. It is followed, stopped and
 * resumed through its folder; its output goes to {@code log.txt} there.
 *
 * @param process the id of the process
 * @param observer follows the run
 */
public record DetachedRun(long process, RunObserver observer) {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 50;
    private static final int SHOWN_OF_LOG = 2000;

    /** What the process is given to do. */
    record Order(Job job, boolean resume) {}

    /**
     * Starts a job and returns when its folder tells of it.
     *
     * @param resume whether to go on from the newest checkpoint
     * @throws LaunchException if the process ended before that, or did not start in time
     */
    public static DetachedRun start(Job job, boolean resume) {
        Path folder = job.output().path();
        Path log = folder.resolve("log.txt");
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be made: " + e.getMessage(), e);
        }
        Process process =
                ChildJvm.of(DetachedMain.class.getName(), job.name(), List.of()).startDetached(log);
        RunObserver observer = RunObserver.of(folder);
        try (OutputStream out = process.getOutputStream()) {
            out.write(Json.write(new Order(job, resume)).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            process.destroyForcibly();
            throw new LaunchException("the job cannot be given to its process: " + e.getMessage() + shown(log), e);
        }
        awaitStatus(process, observer, log);
        return new DetachedRun(process.pid(), observer);
    }

    private static void awaitStatus(Process process, RunObserver observer, Path log) {
        long deadline = System.nanoTime() + TO_START.toNanos();
        // The folder may tell of a run before this one.
        while (!observer.isOf(process.pid())) {
            if (!process.isAlive()) {
                throw new LaunchException("the process of the job ended before it began" + shown(log));
            }
            if (System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new LaunchException(
                        "the process of the job did not begin within " + TO_START.toSeconds() + " s" + shown(log));
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                process.destroyForcibly();
                throw new LaunchException("interrupted while the process of the job started");
            }
        }
    }

    private static String shown(Path log) {
        try {
            String text = Files.readString(log).strip();
            return "; the end of " + log + ":\n" + text.substring(Math.max(0, text.length() - SHOWN_OF_LOG));
        } catch (IOException e) {
            return "; " + log + " tells nothing";
        }
    }
}
