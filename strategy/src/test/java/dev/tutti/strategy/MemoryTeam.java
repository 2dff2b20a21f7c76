package dev.tutti.strategy;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Report;
import dev.tutti.comm.SharedMemoryCollectives;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import java.time.Duration;

/** A member of a group that never changes, whose others are threads of the same JVM. */
final class MemoryTeam implements Team {
    static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Group group;
    private final BulletinBoard board;
    private final int threads;
    private Collectives collectives;
    private Traffic traffic = Traffic.NONE;

    MemoryTeam(Group group, BulletinBoard board, int threads) {
        this.group = group;
        this.board = board;
        this.threads = threads;
    }

    @Override
    public Meeting meet(long progress) {
        if (collectives != null) {
            throw new IllegalStateException(
                    "the members of this team never change, yet " + group.self() + " meets again");
        }
        collectives = SharedMemoryCollectives.open(group, board, DEADLINE);
        return new Meeting(group, 0, false);
    }

    @Override
    public Group group() {
        return group;
    }

    @Override
    public Collectives collectives() {
        return collectives;
    }

    @Override
    public void check() {}

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public Leases leases() {
        throw new UnsupportedOperationException("nothing is leased here");
    }

    @Override
    public void report(Report report) {}

    /** What went through this member in all. */
    Traffic traffic() {
        return traffic;
    }

    @Override
    public void close() {
        if (collectives != null) {
            traffic = collectives.traffic();
            collectives.close();
        }
    }
}
