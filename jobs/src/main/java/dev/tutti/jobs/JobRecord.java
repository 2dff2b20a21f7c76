package dev.tutti.jobs;

/**
 * What the service knows about a job; one file, replaced whole.
 *
 * @param user who submitted it
 * @param priority higher ones run first; 0 by default
 * @param cores that it may use
 * @param memoryMegabytes that its processes may take together; 0 for no limit
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
        JobState state,
        JobState wanted,
        String submitted,
        String started,
        String ended,
        int attempts,
        String message,
        String publish,
        long published) {
    public JobRecord to(JobState next, String why) {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                next,
                next == JobState.STOPPING ? wanted : null,
                submitted,
                started,
                next.isOver() ? now() : null,
                attempts,
                why,
                publish,
                published);
    }

    public JobRecord begun() {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                JobState.RUNNING,
                null,
                submitted,
                now(),
                null,
                attempts + 1,
                null,
                publish,
                published);
    }

    public JobRecord stopping(JobState then) {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                JobState.STOPPING,
                then,
                submitted,
                started,
                null,
                attempts,
                null,
                publish,
                published);
    }

    public JobRecord publishedAs(long version) {
        return new JobRecord(
                id,
                name,
                user,
                priority,
                cores,
                memoryMegabytes,
                state,
                wanted,
                submitted,
                started,
                ended,
                attempts,
                message,
                publish,
                version);
    }

    static String now() {
        return java.time.Instant.now()
                .truncatedTo(java.time.temporal.ChronoUnit.MILLIS)
                .toString();
    }
}
