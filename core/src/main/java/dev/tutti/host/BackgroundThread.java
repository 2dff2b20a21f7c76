package dev.tutti.host;

/**
 * A thread that works ahead for those that compute: it has its share of the processor as all have, but when it is woken it waits for
 * its turn.
 *
 * <p>Otherwise it runs at once, in place of the thread that woke it, while all others wait for that thread's next step.
 */
public final class BackgroundThread {
    private BackgroundThread() {}

    /** Makes this thread one of them; on Linux, elsewhere it stays as it is. */
    public static void enter() {
        boolean unused = LinuxThreads.set(LinuxThreads.THIS, LinuxThreads.Policy.BATCH);
    }
}
