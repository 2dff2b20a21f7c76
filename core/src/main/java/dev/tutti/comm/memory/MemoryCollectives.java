package dev.tutti.comm.memory;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.Engine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Collectives between threads of one JVM, through plain memory: members read and write each other's tensors. */
public final class MemoryCollectives {
    private static final String NOTE = "room";
    /** Rooms that not all members have found yet. */
    private static final Map<String, Entry> ROOMS = new ConcurrentHashMap<>();

    private record Entry(MemoryGroupState room, java.util.concurrent.atomic.AtomicInteger expected) {}

    private MemoryCollectives() {}

    /** Comes together with the others; every member calls it, on a thread of its own. */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        Engine.load();
        CallDeadline patience = new CallDeadline(timeout);
        String name = group.rank() == 0 ? announce(group, board) : board.read(NOTE);
        Entry entry = ROOMS.get(name);
        if (entry == null) {
            throw new CommunicationException(
                    group.self() + " and " + group.members().get(0)
                            + " are not in the same JVM, though they were to share" + " its memory",
                    null);
        }
        if (entry.expected.decrementAndGet() == 0) {
            ROOMS.remove(name);
        }
        return new AgreedCollectives(group, new MemoryTransport(group, entry.room, patience), patience);
    }

    private static String announce(Group group, BulletinBoard board) {
        String name = UUID.randomUUID().toString();
        ROOMS.put(
                name,
                new Entry(
                        new MemoryGroupState(group.size()),
                        new java.util.concurrent.atomic.AtomicInteger(group.size())));
        board.post(NOTE, name);
        return name;
    }

    /** Collectives for so many members that are threads of this JVM: each takes one of them, by rank. */
    public static List<Collectives> among(int members, Duration timeout) {
        List<Member> all = new ArrayList<>();
        for (int rank = 0; rank < members; rank++) {
            all.add(new Member("worker-" + rank, "here"));
        }
        BulletinBoard board = new MemoryBoard(timeout);
        List<Collectives> out = new ArrayList<>();
        for (int rank = 0; rank < members; rank++) {
            out.add(open(new Group(0, rank, all), board, timeout));
        }
        return out;
    }
}
