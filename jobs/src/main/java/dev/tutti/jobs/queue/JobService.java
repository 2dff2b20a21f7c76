package dev.tutti.jobs.queue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobGrant;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.Watcher;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.ServeException.Reason;
import dev.tutti.train.RuntimeSettings;
import dev.tutti.train.job.JobFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
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
    private static final Duration LOOK = Duration.ofMillis(200);

    /** A process that dies again and again is not started for ever. */
    private static final int MOST_ATTEMPTS = 10;

    private final Path root;
    private final Resources machine;
    private final ModelPublisher publisher;
    private final Map<String, JobRecord> jobs = new TreeMap<>(); // guarded by this
    private final JobProcesses processes = new JobProcesses(); // guarded by this
    private final FairShares shares;
    private final List<Integer> coreNumbers = CoreNumbers.allowed();
    private final List<JobPlace> places;
    private Watcher watcher;
    private long lastId;

    /** With this machine's cores as the only place. */
    public JobService(Path root, Resources machine, ModelPublisher publisher) {
        this(root, machine, publisher, List.of());
    }

    /**
     * @param root the folder of all jobs
     * @param places where jobs may run beside this machine
     */
    public JobService(Path root, Resources machine, ModelPublisher publisher, List<JobPlace> places) {
        this.root = root;
        this.machine = machine;
        this.publisher = publisher;
        this.places = List.copyOf(places);
        this.shares = new FairShares(root.resolve("usage.json"), Instant.now());
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
                        processes.found(job.id());
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
        shares.read();
        watcher = Watcher.start("the job service", LOOK, this::look);
    }

    private synchronized void look() {
        Instant now = Instant.now();
        double seconds = shares.advance(now);
        for (JobRecord job : List.copyOf(jobs.values())) {
            if (job.state().isActive()) {
                shares.add(job.user(), job.cores() * seconds);
                if (!processes.supervise(job, folder(job.id()), now)) {
                    ended(job, folder(job.id()));
                }
            }
        }
        shares.writeNowAndThen();
        startWaiting();
    }

    private void ended(JobRecord job, JobFolder folder) {
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
        for (JobRecord job : QueueOrder.of(waiting, shares.byUser())) {
            if (!free.holds(asked(job))) {
                return;
            }
            free = free.minus(asked(job));
            begin(job);
        }
    }

    private static Resources asked(JobRecord job) {
        return new Resources(job.cores(), job.memoryMegabytes(), job.devices());
    }

    private void begin(JobRecord job) {
        JobFolder folder = folder(job.id());
        folder.forgetProcess();
        JobRecord begun = job.begun(grant(job));
        put(begun); // on disk before the process exists: a service that is killed now looks for it
        processes.begin(begun, folder, placeOf(folder), machine.devices() > 0);
    }

    /** Cores and devices that no other job has; no cores where the service gives more than there are. */
    private JobGrant grant(JobRecord job) {
        List<JobGrant> taken = jobs.values().stream()
                .filter(other -> other.state().isActive() && other.given() != null)
                .map(JobRecord::given)
                .toList();
        List<Integer> cores =
                machine.cores() > coreNumbers.size() ? List.of() : coreNumbers.subList(0, machine.cores());
        return new JobGrant(
                free(cores, taken.stream().map(JobGrant::cores), job.cores()),
                free(
                        IntStream.range(0, machine.devices()).boxed().toList(),
                        taken.stream().map(JobGrant::devices),
                        job.devices()));
    }

    private static List<Integer> free(List<Integer> all, Stream<List<Integer>> taken, int count) {
        List<Integer> free = new ArrayList<>(all);
        taken.forEach(free::removeAll);
        return free.size() < count ? List.of() : free.subList(0, count);
    }

    private Optional<JobPlace> placeOf(JobFolder folder) {
        return place(Json.readYaml(JobFile.read(folder.job()).text(), JsonNode.class, "job"));
    }

    private Optional<JobPlace> place(JsonNode job) {
        String type = JobPlace.typeOf(job);
        return places.stream().filter(place -> place.type().equals(type)).findFirst();
    }

    // ---- what users do

    /** Accepts a job; it is on disk when this returns. */
    public synchronized JobRecord submit(JobSubmission submission, String user) {
        submission.check(machine);
        String text = submission.text();
        JsonNode content = Json.readYaml(text, JsonNode.class, "job");
        if (JobPlace.typeOf(content).equals("spark") && place(content).isEmpty()) {
            throw new TuttiException("cluster: this service was started without Spark: expected jobs for this machine");
        }
        String id = nextId();
        JobFolder folder = new JobFolder(root.resolve(id));
        try {
            Files.createDirectories(folder.path());
        } catch (IOException e) {
            throw new FileException(folder.path().toString(), "cannot be made: " + e.getMessage());
        }
        AtomicFile.write(folder.job(), text);
        String own = JobFile.of(text, "job", id).job().name();
        JobRecord job = JobRecord.queued(
                id,
                submission.name() == null ? own : submission.name(),
                user,
                orElse(submission.priority(), 0),
                orElse(submission.cores(), 1),
                orElse(submission.memoryMegabytes(), 0),
                orElse(submission.devices(), 0),
                submission.publish());
        put(job);
        return job;
    }

    private static int orElse(Integer given, int standard) {
        return given == null ? standard : given;
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

    /** The jobs that wait, in the order in which they will be started. */
    public synchronized List<String> queue() {
        List<JobRecord> waiting = jobs.values().stream()
                .filter(job -> job.state() == JobState.QUEUED)
                .toList();
        return QueueOrder.of(waiting, shares.byUser()).stream()
                .map(JobRecord::id)
                .toList();
    }

    /** Core time by user, of which half is forgotten in an hour. */
    public synchronized Map<String, Double> usedCoreSeconds() {
        return shares.byUser();
    }

    /** The memory that the processes of running jobs take, by job, where the system tells it. */
    public Map<String, Long> memory() {
        Map<String, Long> used = new TreeMap<>();
        for (JobRecord job : jobs()) {
            if (job.state().isActive()) {
                folder(job.id()).process().ifPresent(id -> used.put(job.id(), ProcessMemory.megabytes(id.pid())));
            }
        }
        return used;
    }

    /** Stops looking after jobs; their processes go on. */
    @Override
    public void close() {
        if (watcher != null) {
            watcher.close();
        }
    }
}
