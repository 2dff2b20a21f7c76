package dev.tutti.host;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** When threads run, as Linux decides it. Elsewhere, and where it is not allowed, all of them stay as they are. */
final class LinuxThreads {
    /** The thread that calls. */
    static final int THIS = 0;

    /** When something else wants a thread's core. */
    enum Policy {
        /** As threads are unless something else was said. */
        NORMAL(0),
        /** It has its share, and waits for its turn when it is woken. */
        BATCH(3),
        /** It makes room. */
        IDLE(5);

        private final int number;

        Policy(int number) {
            this.number = number;
        }
    }

    private static final Logger log = LoggerFactory.getLogger(LinuxThreads.class);

    private LinuxThreads() {}

    /** Returns whether the thread has the policy now. */
    static boolean set(int thread, Policy policy) {
        if (!Platform.isLinux()) {
            return false;
        }
        try {
            int[] parameter = {0}; // its only field is a priority, which these policies do not have
            return NativeLibrary.getInstance("c")
                            .getFunction("sched_setscheduler")
                            .invokeInt(new Object[] {thread, policy.number, parameter})
                    == 0;
        } catch (LinkageError | RuntimeException e) {
            log.debug("thread {} stays as it is, not {}", thread, policy, e);
            return false;
        }
    }
}
