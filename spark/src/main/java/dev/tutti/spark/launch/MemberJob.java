package dev.tutti.spark.launch;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;

/**
 * The Spark job whose tasks are the members, run by a thread of its own.
 *
 * <p>Order of calls: {@link #start}, then {@link #close}, which cancels what is left of it.
 */
final class MemberJob implements AutoCloseable {
    private final String group = "tutti-" + UUID.randomUUID();
    private final SparkContext context;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Throwable cause;

    private MemberJob(SparkContext context) {
        this.context = context;
    }

    static MemberJob start(MemberRdd members, String description) {
        MemberJob job = new MemberJob(members.sparkContext());
        Thread thread = new Thread(() -> job.run(members, description), job.group);
        thread.setDaemon(true);
        thread.start();
        return job;
    }

    private void run(MemberRdd members, String description) {
        try {
            context.setJobGroup(group, description, true);
            members.collect();
        } catch (Throwable e) { // Spark throws checked exceptions that its signatures do not name
            cause = e;
        } finally {
            ended.countDown();
        }
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Whether it has ended within some time. */
    boolean awaitEnd(Duration limit) {
        try {
            return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return hasEnded();
        }
    }

    /** What it has failed with; null if it has not. */
    Throwable cause() {
        return cause;
    }

    /** The first line of what it has failed with. */
    String why() {
        return cause == null
                ? "all tasks ended, and none was the chief"
                : String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    @Override
    public void close() {
        if (!hasEnded()) {
            context.cancelJobGroup(group);
            awaitEnd(Duration.ofSeconds(10));
        }
    }
}
