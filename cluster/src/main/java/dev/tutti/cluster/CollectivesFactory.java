package dev.tutti.cluster;

import dev.tutti.Experimental;
import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import java.time.Duration;

/** Makes what the members of a new group compute with. */
@Experimental
@FunctionalInterface
public interface CollectivesFactory {
    /**
     * Connects the members of a group. Every member calls it after a meeting.
     *
     * @param board where members of this group leave each other notes
     * @param timeout how long it may wait for others, here and later in each call
     * @throws MemberLostException if others did not come
     */
    Collectives open(Group group, BulletinBoard board, Duration timeout);
}
