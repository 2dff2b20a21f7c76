package dev.tutti.cluster;

import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.MemberLostException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** The bulletin board of a generation, kept by the coordinator. */
final class RemoteBoard implements BulletinBoard {
    private final CoordinatorClient client;
    private final Membership self;
    private final long generation;
    private final TensorEncryption encryption;

    RemoteBoard(CoordinatorClient client, Membership self, long generation, TensorEncryption encryption) {
        this.client = client;
        this.self = self;
        this.generation = generation;
        this.encryption = encryption;
    }

    @Override
    public void post(String name, String note) {
        try {
            client.post(self, generation, name, note);
        } catch (RefusedException e) {
            throw meaning(e);
        }
    }

    @Override
    public String read(String name) {
        long deadline = self.patience().collective();
        try {
            return client.read(self, generation, name, deadline)
                    .orElseThrow(() -> new MemberLostException(
                            List.of(), "the note '" + name + "' did not come within " + deadline / 1000.0 + " s"));
        } catch (RefusedException e) {
            throw meaning(e);
        }
    }

    @Override
    public Optional<InetAddress> localAddress() {
        return localAddress(client);
    }

    /** The address of this machine towards a coordinator. Asks the routing tables of this machine; nothing is sent. */
    static Optional<InetAddress> localAddress(CoordinatorClient client) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(
                    client.address().host(), client.address().port()));
            return Optional.of(socket.getLocalAddress()).filter(address -> !address.isAnyLocalAddress());
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<SSLContext> tls() {
        return encryption.context();
    }

    private static RuntimeException meaning(RefusedException e) {
        return switch (e.kind()) {
            case OLD_GENERATION, GONE, TOO_SLOW, UNKNOWN -> new MemberLostException(e.members(), e.getMessage(), e);
            default -> e;
        };
    }
}
