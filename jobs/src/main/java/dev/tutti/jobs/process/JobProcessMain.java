package dev.tutti.jobs.process;

import dev.tutti.TuttiException;
import dev.tutti.cluster.CoordinatorFolder;
import dev.tutti.cluster.launch.HandledSignal;
import dev.tutti.io.AtomicFile;
import dev.tutti.jobs.JobFolder;
import dev.tutti.json.Json;
import dev.tutti.train.History;
import dev.tutti.train.job.Checkpoints;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of one job. It outlives the service that started it: all it says goes to the job's folder. SIGTERM makes it write a
 * checkpoint and end; a job that has a checkpoint goes on from it.
 */
public final class JobProcessMain {
    private static final Logger LOG = LoggerFactory.getLogger(JobProcessMain.class);
    private static final int LOCK_ATTEMPTS = 30;
    private static final long LOCK_PAUSE_MILLIS = 100;

    private JobProcessMain() {}

    public static void main(String[] args) throws InterruptedException {
        JobFolder folder = new JobFolder(Path.of(args[0]));
        Optional<FileLock> lock = folder.lock();
        for (int i = 0; lock.isEmpty() && i < LOCK_ATTEMPTS; i++) { // the service holds it for a moment when it looks
            Thread.sleep(LOCK_PAUSE_MILLIS);
            lock = folder.lock();
        }
        if (lock.isEmpty()) {
            System.err.println("Another process works for this job already: this one ends.");
            System.exit(0);
        }
        folder.write(new JobFolder.JobProcessId(ProcessHandle.current().pid()));
        AtomicBoolean stop = new AtomicBoolean();
        HandledSignal.take("TERM", () -> stop.set(true));
        HandledSignal.take("INT", () -> {}); // a terminal's Ctrl-C is for the service
        ProgressLog progress = new ProgressLog(folder);
        int code = 0;
        try {
            History history = train(folder, stop, progress);
            boolean interrupted = history.ending() == History.Ending.INTERRUPTED;
            progress.event(interrupted ? "stopped" : "finished", interrupted ? "a checkpoint was written" : "done");
            folder.write(new JobFolder.JobOutcome(
                    interrupted ? "interrupted" : "finished", history.reason().orElse(null)));
        } catch (TuttiException e) {
            System.err.println(e.getMessage());
            progress.event("failed", e.getMessage());
            folder.write(new JobFolder.JobOutcome("failed", e.getMessage()));
            code = 1;
        } catch (RuntimeException | Error e) {
            LOG.error("the job failed by a defect", e);
            folder.write(new JobFolder.JobOutcome("failed", "a defect of Tutti: the log has the stack trace"));
            code = 1;
        }
        System.exit(code);
    }

    private static History train(JobFolder folder, AtomicBoolean stop, ProgressLog progress) {
        JobFile file = JobFile.read(folder.job())
                .set("output", Json.write(folder.run().path().toString()), "the output of the job");
        boolean resume = new Checkpoints(file.job()).unfinished();
        try (ReadyJob ready = ReadyJob.check(file)) {
            System.out.println(
                    (resume ? "Going on with " : "Beginning ") + file.job().name());
            History history;
            try (MembershipLog membership =
                    new MembershipLog(new CoordinatorFolder(folder.run().coordinator()), progress)) {
                history = ready.run(resume, stop::get, progress, membership);
            }
            progress.times(history.times());
            if (history.ending() != History.Ending.INTERRUPTED) {
                Map<String, Object> result = new LinkedHashMap<>();
                result.put("job", file.job().name());
                result.put("ending", history.ending().name().toLowerCase(Locale.ROOT));
                result.put("epochs", history.epochs().size());
                if (!history.epochs().isEmpty()) {
                    result.put("loss", history.last().measured().loss());
                    result.putAll(history.last().measured().metrics());
                }
                result.put("history", history.epochs());
                AtomicFile.write(folder.run().result(), Json.write(result) + "\n");
            }
            return history;
        }
    }
}
