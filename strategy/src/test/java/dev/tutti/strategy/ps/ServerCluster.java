package dev.tutti.strategy.ps;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/** Workers and parameter servers that are threads of one JVM: the real coordinator, real teams, messages and server programs. */
public final class ServerCluster implements AutoCloseable {
    private final int workers;
    private final CoordinatorServer coordinator;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "member");
        thread.setDaemon(true);
        return thread;
    });
    private final Map<String, ClusterTeam> servers = new ConcurrentHashMap<>();
    private final Map<String, ServerProgram> programs = new ConcurrentHashMap<>();

    public ServerCluster(int workers, int servers) {
        this(workers, servers, Timeouts.DEFAULT);
    }

    ServerCluster(int workers, int servers, Timeouts patience) {
        this.workers = workers;
        coordinator = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(workers)
                .between(1, 9)
                .patience(patience)
                .role("server", new RoleRules(servers, 1, 9)) // more may join
                .role("evaluator", RoleRules.of(1))));
        for (int i = 0; i < servers; i++) {
            startServer("server-" + i);
        }
    }

    /** Another server joins. */
    public void startServer(String name) {
        ClusterTeam team = ClusterTeam.join(
                coordinator.address(), JoinRequest.of("server", name).process(name), 1, Connections::open);
        servers.put(name, team);
        ServerProgram program = new ServerProgram();
        programs.put(name, program);
        threads.execute(() -> {
            try (team) {
                program.run(team, "");
            } catch (RuntimeException e) {
                servers.remove(name); // it was killed
            }
        });
    }

    /** Ends a server as if its process had been killed: its connections break, and it says no good-bye. */
    public void kill(String name) {
        ClusterTeam team = servers.remove(name);
        team.messages().close();
        coordinator.exited(name, "was killed");
    }

    /** Asks a server to leave, as a signal to its process does. */
    void leave(String name) {
        programs.get(name).leave();
    }

    /** Closes the connections of a server that the coordinator still counts as there: the first moment of its end. */
    void closeMessages(String name) {
        servers.get(name).messages().close();
    }

    /** A worker's team, which has not met. */
    Team worker(String name) {
        return ClusterTeam.join(coordinator.address(), JoinRequest.worker(name).process(name), 1, Connections::open);
    }

    /** The team of a member that follows from outside. */
    Team evaluator() {
        return ClusterTeam.join(
                coordinator.address(),
                JoinRequest.of("evaluator", "evaluator-0").process("evaluator-0"),
                1,
                Connections::open);
    }

    /** Ends a worker as if its process had been killed. */
    public void killWorker(String name) {
        coordinator.exited(name, "was killed");
    }

    /** Waits until so many workers are there. */
    public void awaitWorkers(int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (coordinator.overview().members().stream()
                        .filter(member -> member.role().equals("worker") && member.gone() == null)
                        .count()
                < count) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("there are not " + count + " workers: " + coordinator.overview());
            }
            Thread.onSpinWait();
        }
    }

    /** Runs the same on all workers; what they gave, by number. */
    public <T> List<T> run(BiFunction<Integer, Launcher, T> work) {
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int number = i;
            running.add(threads.submit(() -> work.apply(number, new Place("worker-" + number))));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> each : running) {
            try {
                results.add(each.get(60, TimeUnit.SECONDS));
            } catch (ExecutionException e) {
                throw new AssertionError("worker " + results.size() + " failed: " + e.getCause(), e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("workers did not end in time", e);
            }
        }
        return results;
    }

    private final class Place implements Launcher {
        private final String name;

        Place(String name) {
            this.name = name;
        }

        @Override
        public Team assemble(WorkerTask work) {
            return worker(name);
        }
    }

    @Override
    public void close() {
        servers.values().forEach(ClusterTeam::close);
        coordinator.close();
        threads.shutdownNow();
    }
}
