package dev.tutti.consensus;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Three peers in this JVM, each with a folder of its own, that can be ended and started again. */
final class TestingPeers implements AutoCloseable {
    private final Path folder;
    private final List<CoordinatorPeer> peers;
    private final ServerSettings settings;
    private final Map<String, ReplicatedCoordinator> running = new TreeMap<>();

    TestingPeers(Path folder, MembershipRules rules) throws IOException {
        this.folder = folder;
        settings = ServerSettings.of(rules);
        List<ServerSocket> taken = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            taken.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        List<Integer> ports = taken.stream().map(ServerSocket::getLocalPort).toList();
        for (ServerSocket socket : taken) {
            socket.close();
        }
        peers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            peers.add(new CoordinatorPeer(
                    "abc".substring(i, i + 1),
                    new CoordinatorAddress.Endpoint("127.0.0.1", ports.get(2 * i)),
                    ports.get(2 * i + 1)));
        }
        peers.forEach(peer -> start(peer.name()));
    }

    CoordinatorAddress address() {
        return new CoordinatorAddress(
                peers.stream().map(CoordinatorPeer::members).toList(), settings.token(), null);
    }

    void start(String name) {
        running.put(
                name,
                ReplicatedCoordinator.start(settings, new ReplicationSettings(name, peers, folder.resolve(name))));
    }

    /** The peer that answers members; waits until there is one. */
    String leader() throws InterruptedException {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (System.nanoTime() < until) {
            for (Map.Entry<String, ReplicatedCoordinator> peer : running.entrySet()) {
                if (peer.getValue().isServing()) {
                    return peer.getKey();
                }
            }
            Thread.sleep(20);
        }
        throw new AssertionError("no peer leads after 20 s");
    }

    void end(String name) {
        running.remove(name).close();
    }

    @Override
    public void close() {
        running.values().forEach(ReplicatedCoordinator::close);
        running.clear();
    }
}
