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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

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
    private TrainingScenario late;
    private boolean hosted;
    private NetworkHosts hosts; // null: this machine
    private String hostName;
    private TestingCertificate certificate; // null: plain
    private TestingCertificate foreign; // of the last member; null: the one of all

    /**
     * @param members how many are started at once; more may join
     * @param journal the folder of the coordinator's journal
     */
    public ManualCluster(int members, MembershipRules rules, Path journal) {
        this.members = members;
        this.rules = rules;
        this.journal = journal;
    }

    /** The first worker runs the coordinator, as it does where no process of its own is named: it cannot be killed alone. */
    public ManualCluster hostedByFirstWorker() {
        hosted = true;
        return this;
    }

    /**
     * Every member runs on a host of its own; the first worker runs the coordinator.
     *
     * @param name what all of the hosts are called
     */
    public ManualCluster on(NetworkHosts network, String name) {
        hosts = network;
        hostName = name;
        return hostedByFirstWorker();
    }

    /**
     * Members and coordinator speak over TLS, all with one certificate that is made for the hosts.
     *
     * @throws TuttiException if there is no command {@code openssl}
     */
    public ManualCluster withTls() {
        certificate = TestingCertificate.make(
                journal, IntStream.range(0, members).mapToObj(hosts::address).toList());
        return this;
    }

    /** The last member knows the token, and has a certificate that the others do not trust. After {@link #withTls}. */
    public ManualCluster lastMemberIsForeign() {
        foreign = TestingCertificate.make(
                journal.resolve("foreign"),
                IntStream.range(0, members).mapToObj(hosts::address).toList());
        return this;
    }

    /** Members that join later were started for another scenario than the first ones. */
    public ManualCluster lateMembersDo(TrainingScenario other) {
        late = other;
        return this;
    }

    /** What the member with a number was started for, given what the first ones were. */
    TrainingScenario drillOf(int index, TrainingScenario first) {
        return late == null || index < members ? first : late;
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
        if (hosted) {
            return;
        }
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

    private Map<String, List<String>> cluster(String name) {
        List<String> workers = new ArrayList<>(Collections.nCopies(rules.expected(), "127.0.0.1"));
        if (hosts != null) {
            workers.clear();
            for (int i = 0; i < rules.expected(); i++) {
                workers.add(hosts.address(i));
            }
        }
        if (hosted) {
            workers.set(0, workers.get(0) + ":" + port);
            return Map.of(ClusterSpec.WORKER, workers);
        }
        return Map.of(ClusterSpec.COORDINATOR, List.of("127.0.0.1:" + link(name).port()), ClusterSpec.WORKER, workers);
    }

    /** A JVM that will be the member with a number. */
    ChildJvm member(int index) {
        String name = ClusterSpec.WORKER + "-" + index;
        Map<String, Object> spec = new TreeMap<>();
        spec.put("cluster", cluster(name));
        spec.put("task", Map.of("type", ClusterSpec.WORKER, "index", index));
        spec.put("token", token);
        if (hosted) {
            spec.put("patience", Json.json().convertValue(rules.patience(), Map.class));
            spec.put("min", rules.min());
            if (certificate == null) {
                spec.put("plain", hosts != null);
            } else {
                TestingCertificate own = foreign != null && index == members - 1 ? foreign : certificate;
                spec.put("certificate", own.certificate().toString());
                spec.put("key", own.key().toString());
                spec.put("trust", certificate.certificate().toString());
            }
        }
        ClusterSpec parsed = ClusterSpec.parse(Json.write(spec), "the spec of " + name);
        ChildJvm jvm = ChildJvm.of(TrainingScenarioMain.class.getName(), name, List.of())
                .with(ClusterSpec.VARIABLE, Json.write(parsed));
        return hosts == null ? jvm : jvm.within(hosts.within(index, hostName));
    }

    @Override
    public void close() {
        killCoordinator();
        links.values().forEach(NetworkLink::close);
    }
}
