package dev.tutti.spark.launch;

import java.util.function.Consumer;
import org.apache.spark.TaskContext;

/** Watches whether Spark wants a task back, which may be waiting in native code where no interrupt reaches it. */
final class TaskWatchdog implements AutoCloseable {
    private static final long POLL_MILLIS = 50;

    private final Thread thread;

    /** @param recalled told once, with the reason */
    TaskWatchdog(TaskContext context, Consumer<String> recalled) {
        thread = new Thread(() -> watch(context, recalled), "tutti-task-watchdog");
        thread.setDaemon(true);
        thread.start();
    }

    private static void watch(TaskContext context, Consumer<String> recalled) {
        try {
            while (!context.isInterrupted()) {
                Thread.sleep(POLL_MILLIS);
            }
            recalled.accept(
                    "Spark wants the task back: " + context.getKillReason().getOrElse(() -> "no reason given"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the task has ended
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
