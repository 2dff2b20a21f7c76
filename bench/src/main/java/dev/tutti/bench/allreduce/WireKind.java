package dev.tutti.bench.allreduce;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.sharedmemory.SharedMemoryCollectives;
import dev.tutti.comm.transport.FolderBoard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A way between JVMs of one machine. */
enum WireKind {
    SHARED {
        @Override
        Collectives open(Group group, BulletinBoard board) {
            return SharedMemoryCollectives.open(group, board, WAIT);
        }
    },
    /** TCP over the loopback address. */
    GLOO {
        @Override
        Collectives open(Group group, BulletinBoard board) {
            return NetworkCollectives.open(group, board, WAIT);
        }
    };

    /** Longer than a JVM takes to start on a busy machine. */
    private static final Duration WAIT = Duration.ofMinutes(1);

    static WireKind parse(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Comes together with the other members, who leave each other notes in a folder. */
    Collectives open(int rank, int members, Path folder) {
        List<Member> all = IntStream.range(0, members)
                .mapToObj(i -> new Member("worker-" + i, "here"))
                .toList();
        return open(new Group(1, rank, all), new FolderBoard(folder, WAIT));
    }

    abstract Collectives open(Group group, BulletinBoard board);

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
