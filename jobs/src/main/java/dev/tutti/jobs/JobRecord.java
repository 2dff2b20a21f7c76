package dev.tutti.jobs;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What the service knows about a job; one file, replaced whole.
 *
 * @param user who submitted it
 * @param priority higher ones run first; 0 by default
 * @param cores that it may use
 * @param memoryMegabytes that its processes may take together; 0 for no limit
 * @param devices that it may use, such as NVIDIA cards; 0 by default
 * @param given the cores and devices it has while a process works for it, else null
 * @param attempts processes that were started for it
 * @param wanted what it becomes once its process has ended: PAUSED or CANCELLED while it is stopping, else null
 * @param message why it failed or waits, or null
 * @param publish the name of the model to publish when it finishes, or null
 * @param published the version it was published as; 0 for none
 */
public record JobRecord(
        String id,
        String name,
        String user,
        int priority,
        int cores,
        int memoryMegabytes,
        int devices,
        JobGrant given,
        JobState state,
        JobState wanted,
        String submitted,
        String started,
        String ended,
        int attempts,
        String message,
        String publish,
        long published) {
    /** A job that was accepted now. */
    public static JobRecord queued(
            String id,
            String name,
            String user,
            int priority,
            int cores,
            int memoryMegabytes,
            int devices,
            String publish) {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                devices,
                null,
                JobState.QUEUED,
                null,
                now(),
                null,
                null,
                0,
                null,
                publish,
                0);
    }

    public JobRecord to(JobState next, String why) {
        boolean active = next.isActive();
        return changed(
                active ? given : null,
                next,
                active ? wanted : null,
                started,
                next.isOver() ? now() : null,
                attempts,
                why,
                published);
    }

    public JobRecord begun(JobGrant grant) {
        return changed(grant, JobState.RUNNING, null, now(), null, attempts + 1, null, published);
    }

    public JobRecord stopping(JobState then) {
        return changed(given, JobState.STOPPING, then, started, null, attempts, null, published);
    }

    public JobRecord publishedAs(long version) {
        return changed(given, state, wanted, started, ended, attempts, message, version);
    }

    private JobRecord changed(
            JobGrant nextGiven,
            JobState nextState,
            JobState nextWanted,
            String nextStarted,
            String nextEnded,
            int nextAttempts,
            String nextMessage,
            long nextPublished) {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                devices,
                nextGiven,
                nextState,
                nextWanted,
                submitted,
                nextStarted,
                nextEnded,
                nextAttempts,
                nextMessage,
                publish,
                nextPublished);
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
