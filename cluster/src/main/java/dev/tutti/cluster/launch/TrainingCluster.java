package dev.tutti.cluster.launch;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A coordinator in this process and JVMs of roles beside it, such as parameter servers, for programs with a loop of their own.
 *
 * <pre>{@code
 * try (TrainingCluster cluster = TrainingCluster.of(Map.of("server", 2)).start();
 *         Team team = cluster.join("worker-0")) {
 *     team.meet(0);
 *     ...
 * }
 * }</pre>
 *
 * <p>Order of calls: {@link #start} once; {@link #join} for each worker; then {@link #shutdown}, which ends the JVMs.
 */
public final class TrainingCluster implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final int MOST_WORKERS = 256;

    private final Map<String, Integer> roles;
    private final int workers;
    private final int restarts;
    private final Path folder;
    private final Map<String, Process> processes = new ConcurrentHashMap<>();
    private HostedCoordinator coordinator;
    private ChildProcesses children;

    private TrainingCluster(Map<String, Integer> roles, int workers, int restarts, Path folder) {
        this.roles = new TreeMap<>(roles);
        this.workers = workers;
        this.restarts = restarts;
        this.folder = folder;
    }

    /** So many JVMs of each role, each of which needs a {@link RoleProgram}; one worker is expected. */
    public static TrainingCluster of(Map<String, Integer> roles) {
        return new TrainingCluster(roles, 1, 0, null);
    }

    /** The number of workers whose first meeting waits for all of them; 1 unless it is said. */
    public TrainingCluster workers(int expected) {
        return new TrainingCluster(roles, expected, restarts, folder);
    }

    /** How many lost JVMs are replaced in all; none unless it is said. */
    public TrainingCluster restarts(int most) {
        return new TrainingCluster(roles, workers, most, folder);
    }

    /** Where people of this machine find the coordinator, for {@code ./tutti status}. */
    public TrainingCluster reachableThrough(Path whereToLook) {
        return new TrainingCluster(roles, workers, restarts, whereToLook);
    }

    /**
     * Starts coordinator and JVMs, and returns when they have joined.
     *
     * @throws LaunchException if one could not start
     */
    public TrainingCluster start() {
        roles.keySet().forEach(RoleProgram::named);
        MembershipRules rules = MembershipRules.of(workers).between(1, MOST_WORKERS);
        int count = 0;
        for (Map.Entry<String, Integer> role : roles.entrySet()) {
            rules = rules.role(role.getKey(), RoleRules.growing(role.getValue()));
            count += role.getValue();
        }
        coordinator = HostedCoordinator.start(ServerSettings.of(rules), folder);
        CoordinatorServer server = coordinator.server();
        children = new ChildProcesses(server, System.err::println, restarts);
        try {
            roles.forEach((role, members) -> {
                for (int i = 0; i < members; i++) {
                    children.start(role + "-" + i, plan(role));
                }
            });
            children.awaitStart(count, TO_START);
            return this;
        } catch (RuntimeException e) {
            shutdown();
            throw e;
        }
    }

    /** One more JVM of a role, beside those that were started first. */
    public void add(String role, String name) {
        started().start(name, plan(role));
    }

    private ChildProcesses started() {
        return Objects.requireNonNull(children, "the cluster was not started: call start() first");
    }

    private ChildProcesses.Plan plan(String role) {
        return new ChildProcesses.Plan() {
            @Override
            public Process start(String name) {
                Process process = ChildJvm.of(RoleMain.class.getName(), name, List.of())
                        .withOptions(HeapOptions.OF_ROLES)
                        .start();
                processes.put(name, process);
                return process;
            }

            @Override
            public String greeting(String name) {
                return Json.write(RoleInvitation.of(coordinator.server().address(), role, name, ""))
                        .replace("\n", " ");
            }
        };
    }

    /** This process as a worker; several may join. */
    public Team join(String name) {
        started();
        return ClusterTeam.join(coordinator.server().address(), JoinRequest.worker(name), 1, Connections::open);
    }

    /** The process of a member, for instance to look at it or to kill it. */
    public Optional<ProcessHandle> process(String name) {
        return Optional.ofNullable(processes.get(name)).map(Process::toHandle);
    }

    /** Ends all JVMs and the coordinator. More than once does nothing. */
    public void shutdown() {
        if (children != null) {
            children.close();
            children = null;
        }
        if (coordinator != null) {
            coordinator.close();
            coordinator = null;
        }
    }

    @Override
    public void close() {
        shutdown();
    }
}
