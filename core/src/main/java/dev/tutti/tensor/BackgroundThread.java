package dev.tutti.tensor;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that works ahead for those that compute: it has its share of the processor as all have, but when it is woken it waits for
 * its turn.
 *
 * <p>Otherwise it runs at once, in place of whoever woke it, while all others wait for that one's next step.
 */
public final class BackgroundThread {
    private static final int THIS_THREAD = 0;
    private static final int SCHED_BATCH = 3;
    private static final Logger log = LoggerFactory.getLogger(BackgroundThread.class);

    private BackgroundThread() {}

    /** Makes this thread one of them; on Linux, elsewhere it stays as it is. */
    public static void enter() {
        if (Platform.isLinux()) {
            try {
                int[] parameter = {0}; // its only field is a priority, which such threads do not have
                NativeLibrary.getInstance("c")
                        .getFunction("sched_setscheduler")
                        .invokeInt(new Object[] {THIS_THREAD, SCHED_BATCH, parameter});
            } catch (LinkageError | RuntimeException e) {
                log.debug(
                        "{} runs as soon as it is woken", Thread.currentThread().getName(), e);
            }
        }
    }
}
