package dev.tutti.testkit;

import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.json.Json;
import dev.tutti.testkit.fault.NetworkLink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The coordinator of members that are started by hand, in a JVM of its own with a journal, and what they are told of it. Between
 * each member and the coordinator there is a {@link NetworkLink} that can be cut.
 */
public final class ManualCluster implements AutoCloseable {
    private final int members;
    private final MembershipRules rules;
    private final Path journal;
    private final int port = freePort();
    private final String token = ServerSettings.newToken();
    private final Map<String, NetworkLink> links = new ConcurrentHashMap<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private Process coordinator;

    /**
     * @param members how many are started at once; more may join
     * @param journal the folder of the coordinator's journal
     */
    public ManualCluster(int members, MembershipRules rules, Path journal) {
        this.members = members;
        this.rules = rules;
        this.journal = journal;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int members() {
        return members;
    }

    NetworkLink link(String member) {
        return links.computeIfAbsent(member, name -> new NetworkLink(port));
    }

    synchronized void startCoordinator() {
        killCoordinator();
        coordinator = ChildJvm.of(CoordinatorMain.class.getName(), "coordinator", List.of())
                .start();
        follow(coordinator.errorReader(StandardCharsets.UTF_8));
        CoordinatorMain.Orders orders = new CoordinatorMain.Orders(rules, port, token, journal.toString());
        try {
            coordinator
                    .getOutputStream()
                    .write((Json.write(orders).replace("\n", " ") + "\n").getBytes(StandardCharsets.UTF_8));
            coordinator.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void follow(BufferedReader from) {
        Thread thread = new Thread(
                () -> {
                    try (from) {
                        from.lines().forEach(said::add);
                    } catch (IOException | UncheckedIOException e) {
                        said.add("(the coordinator is not heard of any more)");
                    }
                },
                "testkit-coordinator");
        thread.setDaemon(true);
        thread.start();
    }

    /** What the coordinators have written to their logs. */
    List<String> said() {
        return said;
    }

    synchronized void killCoordinator() {
        if (coordinator != null) {
            coordinator.destroyForcibly();
            coordinator.onExit().join();
        }
    }

    /** A JVM that will be the member with a number. */
    ChildJvm member(int index) {
        String name = ClusterSpec.WORKER + "-" + index;
        ClusterSpec spec = ClusterSpec.parse(
                Json.write(Map.of(
                        "cluster",
                        Map.of(
                                ClusterSpec.COORDINATOR,
                                List.of("127.0.0.1:" + link(name).port()),
                                ClusterSpec.WORKER,
                                java.util.Collections.nCopies(rules.expected(), "127.0.0.1")),
                        "task",
                        Map.of("type", ClusterSpec.WORKER, "index", index),
                        "token",
                        token)),
                "the spec of " + name);
        return ChildJvm.of(TrainingScenarioMain.class.getName(), name, List.of())
                .with(ClusterSpec.VARIABLE, Json.write(spec));
    }

    @Override
    public void close() {
        killCoordinator();
        links.values().forEach(NetworkLink::close);
    }
}
