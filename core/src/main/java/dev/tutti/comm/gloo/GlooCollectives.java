package dev.tutti.comm.gloo;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.SingleMemberCollectives;
import dev.tutti.comm.transport.AgreedCollectives;
import dev.tutti.comm.transport.CallDeadline;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.TensorException;
import dev.tutti.tensor.gloo.GlooLinks;
import dev.tutti.tensor.gloo.GlooStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collectives between JVMs over TCP, through Gloo.
 *
 * <p>A member that is killed is noticed within milliseconds, since its connections break; one that is stopped at the deadline.
 */
public final class GlooCollectives {
    /** The environment variable that says on which address of this machine members listen for each other. */
    public static final String ADDRESS_VARIABLE = "TUTTI_ADDRESS";

    private static final String NOTE = "gloo";
    private static final Logger LOG = LoggerFactory.getLogger(GlooCollectives.class);

    private GlooCollectives() {}

    /**
     * Comes together with the others; every member calls it. Members of one machine listen on the loopback address; those of
     * several on the one that the variable {@link #ADDRESS_VARIABLE} names, or else on that of their {@linkplain Member#host
     * host}'s name where it is an address of this machine.
     *
     * @param timeout how long any call may take
     * @throws MemberLostException if somebody did not come in time
     */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout) {
        return open(group, board, timeout, address(group));
    }

    /** @param address where this member listens */
    public static Collectives open(Group group, BulletinBoard board, Duration timeout, InetAddress address) {
        if (group.size() == 1) {
            return new SingleMemberCollectives(group);
        }
        Engine.load(); // before the clock runs: the first time takes seconds
        CallDeadline patience = new CallDeadline(timeout);
        return new AgreedCollectives(group, medium(group, board, patience, address), patience);
    }

    static GlooTransport medium(Group group, BulletinBoard board, CallDeadline patience, InetAddress address) {
        GlooStore store = null;
        GlooLinks links = null;
        try {
            store = store(group, board, patience, address);
            links = GlooLinks.connect(store, group.rank(), group.size(), address, patience.left());
            return new GlooTransport(group, new GlooWire(group, store, links, patience));
        } catch (RuntimeException e) {
            if (links != null) {
                links.close();
            }
            if (store != null) {
                store.close();
            }
            if (e instanceof TensorException) {
                throw new MemberLostException(
                        List.of(),
                        "not all of " + group.members() + " could be connected with " + group.self() + " within "
                                + patience.inWords() + ": " + e.getMessage(),
                        e);
            }
            throw e;
        }
    }

    private static GlooStore store(Group group, BulletinBoard board, CallDeadline patience, InetAddress address) {
        if (group.rank() == 0) {
            GlooStore store = GlooStore.host(address, patience.limit());
            board.post(NOTE, address.getHostAddress() + " " + store.port());
            return store;
        }
        String[] words = board.read(NOTE).split(" ");
        try {
            return GlooStore.connect(InetAddress.getByName(words[0]), Integer.parseInt(words[1]), patience.left());
        } catch (UnknownHostException e) {
            throw new CommunicationException(
                    "the address of " + group.members().get(0) + " is not one: " + words[0], e);
        }
    }

    public static InetAddress address(Group group) {
        String named = System.getenv(ADDRESS_VARIABLE);
        boolean oneHost = group.members().stream().map(Member::host).distinct().count() == 1;
        if (oneHost) {
            return loopback();
        }
        if (named != null) {
            try {
                return InetAddress.getByName(named);
            } catch (UnknownHostException e) {
                throw new CommunicationException(
                        ADDRESS_VARIABLE + " is '" + named + "': expected an address or a name of this machine", e);
            }
        }
        try {
            InetAddress own = InetAddress.getByName(group.self().host());
            if (NetworkInterface.getByInetAddress(own) != null) {
                return own;
            }
        } catch (IOException e) {
            LOG.debug("{} has no address: {}", group.self().host(), e.getMessage());
        }
        LOG.warn(
                "'{}' is no address of this machine, so members elsewhere cannot reach {}: set {} to one that is",
                group.self().host(),
                group.self(),
                ADDRESS_VARIABLE);
        return loopback();
    }

    private static InetAddress loopback() {
        return InetAddress.getLoopbackAddress();
    }
}
