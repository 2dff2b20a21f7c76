package dev.tutti.comm;

import dev.tutti.comm.connection.Connections;
import dev.tutti.comm.memory.MemoryCollectives;
import dev.tutti.comm.network.HierarchicalCollectives;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.comm.sharedmemory.SharedMemoryCollectives;
import java.time.Duration;

/** The implementations that the contract is tested with. */
enum Kind {
    MEMORY(MemoryCollectives::open),
    SHARED_MEMORY(SharedMemoryCollectives::open),
    GLOO(NetworkCollectives::open),
    /** Two made-up machines, with members in turn on one and the other. */
    HIERARCHICAL(HierarchicalCollectives::open),
    /** The same with connections that are encrypted. */
    TLS((group, board, timeout) -> HierarchicalCollectives.open(group, new TlsBoard(board), timeout)),
    CHOSEN(Connections::open);

    private final TestingMembers.Opening opening;

    Kind(TestingMembers.Opening opening) {
        this.opening = opening;
    }

    Collectives open(Group group, BulletinBoard board, Duration timeout) {
        return opening.open(group, board, timeout);
    }

    String host(int rank) {
        return this == HIERARCHICAL || this == TLS ? "made-up-" + rank % 2 : "here";
    }
}
