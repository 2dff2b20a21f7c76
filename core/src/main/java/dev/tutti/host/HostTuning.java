package dev.tutti.host;

import com.sun.jna.Platform;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of the whole process that make training faster. Tutti as a library leaves its host as it is; the {@code ./tutti} command and
 * the JVMs it starts call {@link #apply}, and so may a program that embeds Tutti.
 *
 * <pre>{@code
 * HostTuning.apply();     // once, best before the first tensor is made
 * trainer.fit(...);
 * HostTuning.undo();      // where the process goes on to do something else
 * }</pre>
 *
 * <p>Without it everything works; a line in the log at DEBUG says for each {@link Change} what could be faster. The calls may be made by
 * any thread at any time.
 */
public final class HostTuning {
    /** What is changed about the process. */
    public enum Change {
        /** The C library keeps memory that was freed, instead of giving large blocks back to the kernel after every step. */
        ALLOCATOR("the C library gives the memory of large tensors back to the kernel after every step"),
        /** The threads of the JVM's optimizing compiler run when a core has nothing else to do, while several workers train. */
        COMPILER_THREADS("the JVM's compiler takes its time from workers that wait for each other"),
        /** The C++ standard output is without a buffer while Gloo connects members, which drops the line that Gloo writes to it. */
        CPP_OUTPUT("Gloo writes a line to standard output when it has connected the members");

        private final String otherwise;

        Change(String otherwise) {
            this.otherwise = otherwise;
        }
    }

    private static final Logger log = LoggerFactory.getLogger(HostTuning.class);
    private static final Set<Change> mentioned = EnumSet.noneOf(Change.class);
    private static final Deque<Runnable> toUndo = new ArrayDeque<>();
    private static boolean applied;

    private HostTuning() {}

    /**
     * Permits every {@link Change}. The allocator is set at once; compiler threads and C++ output are changed while training needs it.
     * Variables that the user has set in the environment win. A second call does nothing.
     */
    public static synchronized void apply() {
        if (!applied) {
            applied = true;
            if (Platform.isLinux()) {
                Allocator.keepFreedMemory();
            }
        }
    }

    public static synchronized boolean isApplied() {
        return applied;
    }

    /**
     * Takes back what was changed, as far as it can be: the allocator returns to the defaults of the C library and gives free memory
     * back; compiler threads return to the normal policy where the kernel permits that (it may need CAP_SYS_NICE).
     */
    public static synchronized void undo() {
        applied = false;
        mentioned.clear();
        while (!toUndo.isEmpty()) {
            toUndo.pop().run();
        }
    }

    /** Whether a part of Tutti may make the change; where not, the log says once, at DEBUG, what that costs. */
    public static synchronized boolean permits(Change change) {
        if (!applied && mentioned.add(change)) {
            log.debug("{}; HostTuning.apply() changes that", change.otherwise);
        }
        return applied;
    }

    /**
     * Notes how a change is taken back; changes are undone in reverse order.
     *
     * @param undo is run by {@link #undo}; a change that was undone meanwhile is undone at once
     */
    public static synchronized void changed(Runnable undo) {
        if (applied) {
            toUndo.push(undo);
        } else {
            undo.run();
        }
    }
}
