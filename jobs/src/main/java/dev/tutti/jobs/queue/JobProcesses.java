package dev.tutti.jobs.queue;

import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobGrant;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.JobState;
import dev.tutti.jobs.process.JobProcessMain;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The processes of jobs: starts them, asks them to stop, holds them to their memory, and tells whether they live. A process that another
 * service has started is known by the lock it holds on the job's folder.
 *
 * <p>Not safe for several threads: its owner calls it under one lock.
 */
final class JobProcesses {
    /** A process that does not end after SIGTERM within this time is killed. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

    /** How long a process may need from its start to its lock. */
    private static final Duration START_LIMIT = Duration.ofSeconds(15);

    private final Map<String, Process> started = new HashMap<>(); // by this service
    private final Map<String, Instant> begun = new HashMap<>();
    private final Map<String, Instant> asked = new HashMap<>(); // when a process was asked to stop

    /** A job was found on disk; its process, if there is one, may still be on its way to its lock. */
    void found(String id) {
        begun.put(id, Instant.now());
    }

    /** Starts the process of a job, on the cores and devices it was given. */
    void begin(JobRecord job, JobFolder folder, Optional<JobPlace> place, boolean devices) {
        List<String> options = new ArrayList<>(List.of("-XX:ActiveProcessorCount=" + job.cores()));
        if (job.memoryMegabytes() > 0) {
            options.add("-Xmx" + Math.max(64, job.memoryMegabytes() / 2) + "m"); // the rest is for tensors
        }
        place.ifPresent(one -> options.addAll(one.options()));
        ChildJvm jvm = ChildJvm.of(
                        JobProcessMain.class.getName(),
                        job.id(),
                        List.of(folder.path().toAbsolutePath().toString()))
                .withOptions(options)
                .within(CoreNumbers.command(JobGrant.list(job.given().cores())))
                .with(place.map(JobPlace::classes).orElse(List.of()));
        if (devices) { // a job that was given none sees none
            jvm = jvm.with("CUDA_VISIBLE_DEVICES", JobGrant.list(job.given().devices()));
        }
        for (var variable : place.map(JobPlace::environment).orElse(Map.of()).entrySet()) {
            jvm = jvm.with(variable.getKey(), variable.getValue());
        }
        begun.put(job.id(), Instant.now());
        started.put(job.id(), jvm.startDetachedWithoutInput(folder.log()));
    }

    /** Looks after the process of a job; false if it has ended, after which the job is forgotten here. */
    boolean supervise(JobRecord job, JobFolder folder, Instant now) {
        Process process = started.get(job.id());
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
            return true;
        }
        started.remove(job.id());
        asked.remove(job.id());
        return false;
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

    private static void holdToMemory(JobRecord job, JobFolder folder) {
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
}
