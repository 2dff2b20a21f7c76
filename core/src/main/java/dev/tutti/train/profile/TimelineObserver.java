package dev.tutti.train.profile;

import dev.tutti.Experimental;
import java.util.function.Supplier;

/**
 * Follows what the members of a run are busy with, and when.
 *
 * <p>Order of calls: {@link #follow} before the run begins; {@link #member} on the chief at the end, once for each other member whose
 * timeline has arrived.
 */
@Experimental
public interface TimelineObserver {
    /**
     * The timeline of this member.
     *
     * @param own grows while training goes on; it is read by the thread that trains
     * @param name the id that this member has at present
     */
    void follow(Timeline own, Supplier<String> name);

    /** The timeline of another member, which is complete. */
    void member(int rank, String name, Timeline timeline);
}
