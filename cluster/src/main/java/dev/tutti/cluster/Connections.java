package dev.tutti.cluster;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.SharedMemoryCollectives;
import java.time.Duration;

/** Chooses how the members of a group speak with each other. */
public final class Connections {
    private Connections() {}

    /** Shared memory for members of one machine. */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        return SharedMemoryCollectives.open(group, board, timeout);
    }
}
