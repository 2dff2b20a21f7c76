package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Group;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.TensorLinks;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Collectives between JVMs over TCP: through Gloo, or encrypted where the board has {@linkplain BulletinBoard#tls certificates} for it.
 *
 * <p>A member that is killed is noticed within milliseconds, since its connections break; one that is stopped at the deadline.
 */
public final class NetworkCollectives {
    /** The environment variable that says on which address of this machine members listen for each other. */
    public static final String ADDRESS_VARIABLE = "TUTTI_ADDRESS";

    /** The environment variable that says {@code plain} where tensors shall not be encrypted though members have certificates. */
    public static final String TENSORS_VARIABLE = "TUTTI_TENSORS";

    private NetworkCollectives() {}

    /**
     * Comes together with the others; every member calls it. Members of one machine listen on the loopback address; those of
     * several on the one that the variable {@link #ADDRESS_VARIABLE} names, or else on one that others can reach: see {@link
     * OwnAddress}.
     *
     * @param timeout how long any call may take
     * @throws MemberLostException if a member did not come in time
     */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        return open(group, board, timeout, OwnAddress.in(group, board));
    }

    /** @param address where this member listens */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout, InetAddress address) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        Engine.load(); // before the clock runs: the first time takes seconds
        CallDeadline patience = new CallDeadline(timeout);
        return new AgreedCollectives(group, transport(group, board, patience, address), patience);
    }

    static NetworkTransport transport(Group group, BulletinBoard board, CallDeadline patience, InetAddress address) {
        Optional<SSLContext> tls = board.tls();
        TensorLinks links = tls.isPresent()
                ? new TlsRendezvous(group, board, patience, tls.get()).connect(address)
                : new GlooRendezvous(group, board, patience).connect(address);
        NetworkWire wire = new NetworkWire(group, links, patience);
        try {
            PeerProof.exchange(group, board, wire);
            links.refuseNewConnections();
            return new NetworkTransport(group, wire);
        } catch (RuntimeException e) {
            wire.close();
            throw e;
        }
    }
}
