package dev.tutti.cluster.launch;

import dev.tutti.TuttiException;
import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.HostedCoordinator;
import dev.tutti.cluster.HostingTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.json.Json;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This JVM alone: one member with workers on threads, and members of other roles on threads of their own, which run the {@link
 * RoleProgram} of their role. Messages between them are handed over in memory.
 */
public final class RoleThreads implements Launcher {
    private static final Logger LOG = LoggerFactory.getLogger(RoleThreads.class);
    /** The programs hear that the training is over, and end by themselves; past this they are interrupted. */
    private static final Duration TO_END = Duration.ofSeconds(10);

    private final int workers;
    private final Map<String, Integer> roles;
    private final Path folder;

    private RoleThreads(int workers, Map<String, Integer> roles, Path folder) {
        if (workers < 1) {
            throw new TrainingException("expected at least 1 worker, received " + workers);
        }
        this.workers = workers;
        this.roles = Map.copyOf(roles);
        this.folder = folder;
    }

    /** So many workers on threads of this JVM. */
    public RoleThreads(int workers) {
        this(workers, Map.of(), null);
    }

    /** So many members of another role beside the workers. */
    public RoleThreads role(String name, int count) {
        if (count < 1) {
            throw new TrainingException("the role " + name + ": expected at least 1 member, received " + count);
        }
        Map<String, Integer> more = new TreeMap<>(roles);
        more.put(name, count);
        return new RoleThreads(workers, more, folder);
    }

    @Override
    public RoleThreads reachableThrough(Path whereToLook) {
        return new RoleThreads(workers, roles, whereToLook);
    }

    @Override
    public OptionalInt workers() {
        return OptionalInt.of(workers);
    }

    @Override
    public Team assemble(WorkerTask work) {
        Map<String, RoleProgram> programs = new TreeMap<>();
        roles.keySet().forEach(role -> programs.put(role, RoleProgram.named(role))); // before anything is started
        MembershipRules rules = MembershipRules.of(1);
        for (Map.Entry<String, Integer> role : roles.entrySet()) {
            rules = rules.role(role.getKey(), RoleRules.of(role.getValue()));
        }
        HostedCoordinator hosted = HostedCoordinator.start(ServerSettings.of(rules), folder);
        List<Thread> threads = new ArrayList<>();
        try {
            CoordinatorAddress address = hosted.server().address();
            String settings = Json.write(work);
            programs.forEach((role, program) -> {
                for (int i = 0; i < roles.get(role); i++) {
                    threads.add(start(address, program, role + "-" + i, settings));
                }
            });
            CoordinatorClient client = new CoordinatorClient(address).besideCoordinator();
            Team team = ClusterTeam.join(client, JoinRequest.worker("worker-0"), workers, Connections::open);
            return new HostingTeam(team, () -> end(threads, hosted));
        } catch (RuntimeException e) {
            end(threads, hosted);
            throw e;
        }
    }

    private static Thread start(CoordinatorAddress address, RoleProgram program, String name, String settings) {
        JoinRequest request = JoinRequest.of(program.role(), name).process("thread of " + name);
        CoordinatorClient client = new CoordinatorClient(address).besideCoordinator();
        ClusterTeam team = ClusterTeam.join(client, request, 1, Connections::open); // before the workers look for it
        Thread thread = new Thread(() -> run(program, team, settings), "tutti-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void run(RoleProgram program, ClusterTeam team, String settings) {
        try (team) {
            program.run(team, settings);
        } catch (TuttiException e) {
            team.failed(e);
            LOG.error("{} has failed: {}", team.id(), e.getMessage());
        } catch (RuntimeException | Error e) {
            team.failed(e);
            LOG.error("{} has failed", team.id(), e);
        }
    }

    private static void end(List<Thread> threads, HostedCoordinator hosted) {
        long deadline = System.nanoTime() + TO_END.toNanos();
        try {
            for (Thread thread : threads) {
                thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                LOG.warn(
                        "{} did not end by itself within {} s and is interrupted",
                        thread.getName(),
                        TO_END.toSeconds());
                thread.interrupt();
            }
        }
        hosted.close();
    }

    @Override
    public String toString() {
        return "threads(" + workers + ") with " + roles;
    }
}
