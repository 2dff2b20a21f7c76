package dev.tutti.jobs.queue;

import dev.tutti.DidYouMean;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.process.JobProcessMain;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import dev.tutti.train.RuntimeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs jobs as processes within the resources of this machine. All state is in the jobs' folders: a service that was killed and
 * started again finds them, and jobs whose processes live go on untouched.
 *
 * <p>Order of calls: {@link #start}, then any others from any thread, {@link #close} at the end, which leaves running jobs running.
 */
public final class JobService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobService.class);
    private static final long LOOK_MILLIS = 200;

    /** A process that dies again and again is not started for ever. */
    private static final int MOST_ATTEMPTS = 10;

    /** A process that does not end after SIGTERM within this time is killed. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

    /** How long a process may need from its start to its lock. */
    private static final Duration START_LIMIT = Duration.ofSeconds(15);

    private final Path root;
    private final Resources machine;
    private final ModelPublisher publisher;
    private final Map<String, JobRecord> jobs = new TreeMap<>(); // guarded by this
    private final Map<String, Process> processes = new HashMap<>(); // those that this service started
    private final Map<String, Instant> begun = new HashMap<>();
    private final Map<String, Instant> asked = new HashMap<>(); // when a process was asked to stop
    private final Map<String, Double> usedCoreSeconds = new HashMap<>();
    private Instant looked = Instant.now();
    private Thread watcher;
    private volatile boolean closed;
    private long lastId;

    /** @param root the folder of all jobs */
    public JobService(Path root, Resources machine, ModelPublisher publisher) {
        this.root = root;
        this.machine = machine;
        this.publisher = publisher;
    }

    /** Finds the jobs that are there, and works from now on. */
    public synchronized void start() {
        try {
            Files.createDirectories(root);
            try (Stream<Path> folders = Files.list(root)) {
                for (Path path : folders.filter(Files::isDirectory).sorted().toList()) {
                    JobFolder folder = new JobFolder(path);
                    if (folder.exists()) {
                        JobRecord job = folder.record();
                        jobs.put(job.id(), job);
                        begun.put(job.id(), Instant.now());
                        if (job.state() == JobState.RUNNING) {
                            LOG.info(
                                    "job {} {}",
                                    job.id(),
                                    folder.isHeld() ? "is running and was found again" : "has lost its process");
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new FileException(root.toString(), "cannot hold jobs: " + e.getMessage());
        }
        watcher = new Thread(this::watch, "jobs");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void watch() {
        while (!closed) {
            try {
                look();
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("the job service failed for a moment", e);
            }
        }
    }

    private synchronized void look() {
        Instant now = Instant.now();
        double seconds = Duration.between(looked, now).toMillis() / 1e3;
        looked = now;
        for (JobRecord job : List.copyOf(jobs.values())) {
            if (job.state().isActive()) {
                usedCoreSeconds.merge(job.user(), job.cores() * seconds, Double::sum);
                supervise(job, now);
            }
        }
        usedCoreSeconds.replaceAll(
                (user, used) -> used * Math.pow(0.5, seconds / 3600)); // half of it is forgotten in an hour
        startWaiting();
    }

    // ---- processes

    private void supervise(JobRecord job, Instant now) {
        JobFolder folder = folder(job.id());
        Process process = processes.get(job.id());
        boolean ours = process != null && process.isAlive();
        boolean starting =
                Duration.between(begun.getOrDefault(job.id(), now), now).compareTo(START_LIMIT) < 0;
        if (ours
                || folder.isHeld()
                || process == null && starting && folder.outcome().isEmpty()) {
            if (job.state() == JobState.STOPPING) {
                askToStop(job, folder, now);
            } else {
                holdToMemory(job, folder);
            }
            return;
        }
        ended(job, folder);
    }

    private void askToStop(JobRecord job, JobFolder folder, Instant now) {
        Optional<ProcessHandle> handle = folder.process().flatMap(id -> ProcessHandle.of(id.pid()));
        Instant first = asked.get(job.id());
        if (handle.isPresent() && folder.isHeld()) {
            if (first == null) {
                asked.put(job.id(), now);
                handle.get().destroy();
            } else if (Duration.between(first, now).compareTo(STOP_LIMIT) > 0) {
                handle.get().destroyForcibly();
            }
        }
    }

    private void holdToMemory(JobRecord job, JobFolder folder) {
        if (job.memoryMegabytes() == 0) {
            return;
        }
        folder.process().ifPresent(id -> {
            long used = ProcessMemory.megabytes(id.pid());
            if (used > job.memoryMegabytes()) {
                String why = "it used " + used + " MB of memory and had asked for " + job.memoryMegabytes() + " MB";
                ProcessHandle.of(id.pid()).ifPresent(ProcessHandle::destroyForcibly);
                folder.write(new JobFolder.JobOutcome("failed", why));
            }
        });
    }

    private void ended(JobRecord job, JobFolder folder) {
        processes.remove(job.id());
        asked.remove(job.id());
        Optional<JobFolder.JobOutcome> outcome = folder.outcome();
        String ending = outcome.map(JobFolder.JobOutcome::ending).orElse("lost");
        if (ending.equals("finished")) {
            finished(job, folder, outcome.get().message());
        } else if (ending.equals("failed")) {
            put(job.to(JobState.FAILED, outcome.get().message()));
        } else if (job.wanted() != null) {
            put(job.to(job.wanted(), null));
        } else if (job.attempts() >= MOST_ATTEMPTS) {
            put(job.to(JobState.FAILED, "its process died " + job.attempts() + " times: the log may say why"));
        } else {
            LOG.warn("the process of job {} died: it goes on from its checkpoint", job.id());
            put(job.to(JobState.QUEUED, "its process died: it goes on from its checkpoint"));
        }
    }

    private void finished(JobRecord job, JobFolder folder, String message) {
        JobRecord done = job.to(JobState.FINISHED, message);
        if (job.publish() != null) {
            try {
                done = done.publishedAs(publisher.publish(folder.run().model(), job.publish()));
            } catch (FileException e) {
                done = job.to(JobState.FINISHED, e.getMessage());
            }
        }
        put(done);
    }

    private void startWaiting() {
        Resources free = machine;
        List<JobRecord> waiting = new ArrayList<>();
        for (JobRecord job : jobs.values()) {
            if (job.state().isActive()) {
                free = free.minus(asked(job));
            } else if (job.state() == JobState.QUEUED) {
                waiting.add(job);
            }
        }
        for (JobRecord job : QueueOrder.of(waiting, usedCoreSeconds)) {
            if (!free.holds(asked(job))) {
                return;
            }
            free = free.minus(asked(job));
            begin(job);
        }
    }

    private static Resources asked(JobRecord job) {
        return new Resources(job.cores(), job.memoryMegabytes());
    }

    private void begin(JobRecord job) {
        JobFolder folder = folder(job.id());
        folder.forgetProcess();
        put(job.begun()); // on disk before the process exists: a service that is killed now looks for it
        List<String> options = new ArrayList<>(List.of("-XX:ActiveProcessorCount=" + job.cores()));
        if (job.memoryMegabytes() > 0) {
            options.add("-Xmx" + Math.max(64, job.memoryMegabytes() / 2) + "m"); // the rest is for tensors
        }
        begun.put(job.id(), Instant.now());
        processes.put(
                job.id(),
                ChildJvm.of(
                                JobProcessMain.class.getName(),
                                job.id(),
                                List.of(folder.path().toAbsolutePath().toString()))
                        .withOptions(options)
                        .startDetachedWithoutInput(folder.log()));
    }

    // ---- what users do

    /** Accepts a job; it is on disk when this returns. */
    public synchronized JobRecord submit(JobSubmission submission, String user) {
        submission.check(machine);
        String text = submission.text();
        String id = nextId();
        JobFolder folder = new JobFolder(root.resolve(id));
        try {
            Files.createDirectories(folder.path());
        } catch (IOException e) {
            throw new FileException(folder.path().toString(), "cannot be made: " + e.getMessage());
        }
        AtomicFile.write(folder.job(), text);
        String own = dev.tutti.train.job.JobFile.of(text, "job", id).job().name();
        JobRecord job = new JobRecord(
                id,
                submission.name() == null ? own : submission.name(),
                user,
                submission.priority() == null ? 0 : submission.priority(),
                submission.cores() == null ? 1 : submission.cores(),
                submission.memoryMegabytes() == null ? 0 : submission.memoryMegabytes(),
                JobState.QUEUED,
                null,
                Instant.now().truncatedTo(java.time.temporal.ChronoUnit.MILLIS).toString(),
                null,
                null,
                0,
                null,
                submission.publish(),
                0);
        put(job);
        return job;
    }

    private String nextId() {
        lastId = Math.max(lastId + 1, System.currentTimeMillis());
        return "j" + Long.toString(lastId, 36);
    }

    public synchronized List<JobRecord> jobs() {
        return List.copyOf(jobs.values());
    }

    /** @throws ServeException if there is no such job */
    public synchronized JobRecord job(String id) {
        JobRecord job = jobs.get(id);
        if (job == null) {
            throw new ServeException(
                    Reason.NOT_FOUND,
                    "there is no job '" + id.substring(0, Math.min(32, id.length())) + "'"
                            + DidYouMean.hint(id, jobs.keySet()));
        }
        return job;
    }

    public JobFolder folder(String id) {
        return new JobFolder(root.resolve(id));
    }

    /** Writes a checkpoint and ends the process; {@link #resume} goes on. */
    public synchronized JobRecord pause(String id) {
        return stop(id, JobState.PAUSED);
    }

    public synchronized JobRecord cancel(String id) {
        return stop(id, JobState.CANCELLED);
    }

    private JobRecord stop(String id, JobState then) {
        JobRecord job = job(id);
        if (job.state().isActive()) {
            put(job.stopping(then));
        } else if (job.state() == JobState.QUEUED || job.state() == JobState.PAUSED && then == JobState.CANCELLED) {
            put(job.to(then, null));
        } else if (job.state() != then) {
            throw new ServeException(
                    Reason.CONFLICT, "job " + id + " is " + job.state() + ": there is nothing to stop");
        }
        return job(id);
    }

    /** Puts a job back into the queue; it goes on from its checkpoint where it has one. */
    public synchronized JobRecord resume(String id) {
        JobRecord job = job(id);
        if (job.state() == JobState.FINISHED || job.state().isActive()) {
            throw new ServeException(
                    Reason.CONFLICT,
                    "job " + id + " is " + job.state() + ": expected one that was paused, cancelled or failed");
        }
        put(job.to(JobState.QUEUED, null));
        return job(id);
    }

    /** Changes a setting of a job while it runs; an empty value gives it back to the job. */
    public synchronized Map<String, String> configure(String id, Map<String, String> changes) {
        JobRecord job = job(id);
        if (job.state().isOver()) {
            throw new ServeException(
                    Reason.CONFLICT, "job " + id + " is " + job.state() + ": its settings matter no more");
        }
        changes.forEach((key, value) -> RuntimeSettings.check(key, value.isEmpty() ? null : value));
        Map<String, String> all = new TreeMap<>(folder(id).settings());
        all.putAll(changes);
        folder(id).write(all);
        return all;
    }

    public synchronized void delete(String id) {
        JobRecord job = job(id);
        if (job.state().isActive()) {
            throw new ServeException(Reason.CONFLICT, "job " + id + " is " + job.state() + ": cancel it first");
        }
        jobs.remove(id);
        folder(id).delete();
    }

    private void put(JobRecord job) {
        folder(job.id()).write(job);
        jobs.put(job.id(), job);
    }

    public Resources machine() {
        return machine;
    }

    /** What is not given to jobs. */
    public synchronized Resources free() {
        Resources free = machine;
        for (JobRecord job : jobs.values()) {
            if (job.state().isActive()) {
                free = free.minus(asked(job));
            }
        }
        return free;
    }

    /** Stops looking after jobs; their processes go on. */
    @Override
    public void close() {
        closed = true;
        if (watcher != null) {
            watcher.interrupt();
            try {
                watcher.join(5_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
