package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.connection.Hosts;
import dev.tutti.comm.sharedmemory.SharedMemoryCollectives;
import dev.tutti.comm.sharedmemory.SharedMemoryTransport;
import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.comm.transport.Transport;
import dev.tutti.tensor.Engine;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Collectives between members of several machines: shared memory on each of them, the network between one member of each. */
public final class HierarchicalCollectives {
    private HierarchicalCollectives() {}

    /**
     * Comes together with the others; every member calls it. Members with the same {@linkplain Member#host host} share memory.
     *
     * @param timeout how long any call may take
     * @throws MemberLostException if a member did not come in time
     */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        Engine.load(); // before the clock runs: the first time takes seconds
        CallDeadline patience = new CallDeadline(timeout);
        Hosts hosts = Hosts.of(group);
        InetAddress address = OwnAddress.in(group, board);
        List<Transport> opened = new ArrayList<>();
        try {
            SharedMemoryTransport local = null;
            if (hosts.here().size() > 1) {
                BulletinBoard of = board.part("host-" + hosts.hostOf(group.rank()));
                local = SharedMemoryCollectives.transport(hosts.here(), group, of, patience);
                opened.add(local);
            }
            NetworkTransport wire = null;
            if (hosts.isSpeaker() && hosts.count() > 1) {
                wire = NetworkCollectives.transport(hosts.speakers(), board.part("hosts"), patience, address);
                opened.add(wire);
            }
            Transport direct = NetworkCollectives.transport(group, board.part("members"), patience, address);
            opened.add(direct);
            return new AgreedCollectives(group, new HierarchicalTransport(hosts, local, wire, direct), patience);
        } catch (RuntimeException e) {
            Collections.reverse(opened);
            opened.forEach(transport -> {
                transport.tell(e);
                transport.close();
            });
            throw e;
        }
    }
}
