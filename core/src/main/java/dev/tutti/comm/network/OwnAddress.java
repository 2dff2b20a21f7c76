package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address on which this member listens for members of other machines: the one that {@value NetworkCollectives#ADDRESS_VARIABLE} names;
 * else that of the host's name, the one by which the coordinator is reached, or the only one there is, whichever is the first that is an
 * address of this machine in a network.
 */
public final class OwnAddress {
    private static final Logger LOG = LoggerFactory.getLogger(OwnAddress.class);

    private OwnAddress() {}

    static InetAddress in(Group group, BulletinBoard board) {
        return in(group, board::localAddress);
    }

    /**
     * The same for a member that has no board.
     *
     * @param towardsOthers the address of this machine in the network through which others are reached, if it is known
     */
    public static InetAddress in(Group group, Supplier<Optional<InetAddress>> towardsOthers) {
        if (!group.spansMachines()) {
            return InetAddress.getLoopbackAddress();
        }
        String named = System.getenv(NetworkCollectives.ADDRESS_VARIABLE);
        if (named != null) {
            try {
                return InetAddress.getByName(named);
            } catch (UnknownHostException e) {
                throw new CommunicationException(
                        NetworkCollectives.ADDRESS_VARIABLE + " is '" + named
                                + "': expected an address or a name of this machine",
                        e);
            }
        }
        // A name that several machines have carries a number behind it.
        String host = group.self().host().replaceFirst("~\\d+$", "");
        return ofName(host)
                .or(() -> towardsOthers.get().filter(OwnAddress::isReachable))
                .or(OwnAddress::only)
                .orElseGet(() -> unreachable(group, host));
    }

    private static InetAddress unreachable(Group group, String host) {
        LOG.warn(
                "'{}' is no address of this machine in a network, so members elsewhere cannot reach {}: set {} to one that is",
                host,
                group.self(),
                NetworkCollectives.ADDRESS_VARIABLE);
        return InetAddress.getLoopbackAddress();
    }

    private static Optional<InetAddress> ofName(String host) {
        try {
            return Optional.of(InetAddress.getByName(host)).filter(OwnAddress::isReachable);
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    private static boolean isReachable(InetAddress address) {
        try {
            return !address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return false;
        }
    }

    private static Optional<InetAddress> only() {
        try {
            List<InetAddress> all = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && isReachable(address))
                    .toList();
            return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
