package dev.tutti.comm.connection;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.memory.MemoryCollectives;
import dev.tutti.comm.network.HierarchicalCollectives;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.network.OwnAddress;
import dev.tutti.comm.sharedmemory.SharedMemoryCollectives;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** Chooses how the members of a group are connected: by memory where they can share it, by the network where they cannot. */
public final class Connections {
    private static final String THIS_JVM = UUID.randomUUID().toString();

    private Connections() {}

    /**
     * Comes together with the others; every member calls it. Threads of one JVM use its memory; JVMs of one machine, which say
     * the same {@linkplain Member#host host}, share memory; several machines use the network between them.
     *
     * @param timeout how long any call may take
     * @throws MemberLostException if a member did not come in time
     */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        if (Hosts.of(group).count() > 1) {
            return HierarchicalCollectives.open(group, board, timeout);
        }
        return inOneJvm(group, board)
                ? MemoryCollectives.open(group, board, timeout)
                : SharedMemoryCollectives.open(group, board, timeout);
    }

    /**
     * The address on which a member listens for members of other machines: the one that the variable {@link
     * NetworkCollectives#ADDRESS_VARIABLE} names, or else the first of these that others can reach: that of its host's name, the one towards
     * others, its only one.
     */
    public static InetAddress networkAddress(Member self, Supplier<Optional<InetAddress>> towardsOthers) {
        Member elsewhere = new Member("elsewhere", self.host() + " of another machine");
        return OwnAddress.in(new Group(0, 0, List.of(self, elsewhere)), towardsOthers);
    }

    private static boolean inOneJvm(Group group, BulletinBoard board) {
        board.post("jvm-" + group.rank(), THIS_JVM);
        boolean same = true;
        for (int rank = 0; rank < group.size(); rank++) {
            same &= rank == group.rank() || board.read("jvm-" + rank).equals(THIS_JVM);
        }
        return same;
    }
}
