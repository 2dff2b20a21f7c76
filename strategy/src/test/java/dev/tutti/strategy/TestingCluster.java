package dev.tutti.strategy;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.CollectivesFactory;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Messages;
import dev.tutti.comm.SharedVectorSum;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import dev.tutti.comm.connection.Connections;
import dev.tutti.train.Launcher;
import dev.tutti.train.WorkerTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Members that are threads of one JVM, each with a model of its own: the real coordinator, real teams and collectives. They can be
 * lost at any call to the others, and others can join.
 *
 * <p>Order of calls: {@link #run} once, with {@link #member} meanwhile for those who come later; then what is asked of it.
 */
public final class TestingCluster {
    private static final int MOST = 9;

    private final int first;
    private final Hook hook;
    private final CoordinatorServer coordinator;
    private final Phaser running = new Phaser(1);
    private final LedgerRecord ledger = new LedgerRecord();
    private final Map<String, Traffic> traffic = new ConcurrentHashMap<>();
    private CollectivesFactory connections = Connections::open;
    private ToIntFunction<String> threads = member -> 1;
    private int machines = 1;

    /** Told of every point that a member comes to; what it throws happens to that member there. */
    public interface Hook {
        void at(String member, String point);
    }

    /** The end of a member, as if its process had been killed. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One member is killed when it comes to a point for the n-th time. */
    public static Hook killing(String victim, String point, int time) {
        AtomicInteger times = new AtomicInteger();
        return (member, at) -> {
            if (member.equals(victim) && at.equals(point) && times.incrementAndGet() == time) {
                throw new Killed();
            }
        };
    }

    public TestingCluster(int members) {
        this(members, (member, point) -> {});
    }

    public TestingCluster(int members, Hook hook) {
        this.first = members;
        this.hook = hook;
        coordinator = CoordinatorServer.start(
                ServerSettings.of(MembershipRules.of(members).between(1, MOST)));
    }

    /** How they are connected; by plain memory unless said. */
    TestingCluster connectedBy(CollectivesFactory factory) {
        connections = factory;
        return this;
    }

    /** Members cannot read each other's vectors, though they are in one JVM: all that is summed travels. */
    public TestingCluster apart() {
        CollectivesFactory real = connections;
        connections = (group, board, timeout) -> Around.calls(
                Collectives.class,
                real.open(group, board, timeout),
                call -> call.name().equals("summands") ? Optional.empty() : call.proceed());
        return this;
    }

    /** On how many machines they seem to be, in turn; one unless said. */
    public TestingCluster machines(int count) {
        machines = count;
        return this;
    }

    /** Workers of each; one unless said. */
    TestingCluster threads(int workers) {
        return threadsOf(member -> workers);
    }

    /** Workers of a member by its id. */
    public TestingCluster threadsOf(ToIntFunction<String> workers) {
        threads = workers;
        return this;
    }

    /** Counts a member as gone although it is there: it will come back. */
    public void giveUp(String id) {
        coordinator.exited(id, "was not heard of");
    }

    /** The name of the member with a number. */
    public static String name(int number) {
        return "worker-" + number;
    }

    /** Changes a setting from outside, unchecked. */
    void configure(String key, String value) {
        coordinator.configure(key, value);
    }

    /** Runs the same on every member and returns what those gave that were not killed. */
    public <T> Map<String, T> run(Function<Launcher, T> work) {
        try (coordinator) {
            List<Callable<T>> members = new ArrayList<>();
            for (int number = 0; number < first; number++) {
                members.add(member(name(number), "machine-" + number % machines, work));
            }
            List<T> results = MemberThreads.run(members);
            awaitThoseWhoCameLater();
            Map<String, T> named = new TreeMap<>();
            for (int number = 0; number < first; number++) {
                if (results.get(number) != null) {
                    named.put(name(number), results.get(number));
                }
            }
            return named;
        }
    }

    private void awaitThoseWhoCameLater() {
        try {
            running.awaitAdvanceInterruptibly(running.arrive(), MemberThreads.ALARM_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a member that came later did not end in time", e);
        }
    }

    /** The work of one member; null comes of one that was killed. */
    public <T> Callable<T> member(String id, Function<Launcher, T> work) {
        return member(id, "machine-0", work);
    }

    private <T> Callable<T> member(String id, String machine, Function<Launcher, T> work) {
        running.register();
        return () -> {
            try {
                return work.apply(new Seat(id, machine));
            } catch (Killed e) {
                return null;
            } finally {
                running.arriveAndDeregister();
            }
        };
    }

    public int chunks(int epoch) {
        return ledger.chunks(epoch);
    }

    /** Who used which chunk. */
    public Map<Integer, String> used(int epoch) {
        return ledger.users(epoch);
    }

    /** What went through a member in all. */
    public Traffic traffic(String id) {
        return traffic.getOrDefault(id, Traffic.NONE);
    }

    /** One member's place. */
    private final class Seat implements Launcher {
        private final String id;
        private final String machine;

        Seat(String id, String machine) {
            this.id = id;
            this.machine = machine;
        }

        @Override
        public Team assemble(WorkerTask work) {
            ClusterTeam team = ClusterTeam.join(
                    coordinator.address(),
                    JoinRequest.worker(id).process(id).host(machine),
                    threads.applyAsInt(id),
                    (group, board, timeout) -> watched(connections.open(group, board, timeout)));
            return Around.calls(Team.class, team, call -> {
                if (call.name().equals("check")) {
                    come("check");
                }
                if (call.name().equals("messages")) {
                    return watched((Messages) call.proceed());
                }
                return call.name().equals("leases")
                        ? ledger.of(id, team.leases(Leases.TRAINING), () -> come("lease"), () -> come("used"))
                        : call.proceed();
            });
        }

        /** Points such as "receive activations": what the stages of a pipeline give to each other. */
        private Messages watched(Messages real) {
            return Around.calls(Messages.class, real, call -> {
                if ((call.name().equals("send") || call.name().equals("receive"))
                        && call.given().get(1) instanceof String topic
                        && topic.startsWith("pipeline/")) {
                    come(call.name() + (topic.contains("/gradients/") ? " gradients" : " activations"));
                }
                return call.proceed();
            });
        }

        private Collectives watched(Collectives real) {
            return Around.calls(Collectives.class, real, call -> {
                if (call.name().equals("close")) {
                    traffic.merge(
                            id,
                            real.traffic(),
                            (one, other) -> new Traffic(one.sent() + other.sent(), one.received() + other.received()));
                }
                if (call.given().isEmpty() || !(call.given().get(0) instanceof String what)) {
                    return call.proceed();
                }
                String point = call.name().equals("summands") ? "memory for " + what : what;
                come("before " + point);
                Object answer = call.proceed();
                come("after " + point);
                return answer instanceof Optional<?> vectors
                        ? vectors.map(all -> watched((SharedVectorSum) all, what))
                        : answer;
            });
        }

        private SharedVectorSum watched(SharedVectorSum real, String what) {
            return Around.calls(SharedVectorSum.class, real, call -> {
                String point = switch (call.name()) {
                    case "awaitReaders" -> "readers of " + what;
                    case "prepare" -> what;
                    case "release" -> "release of " + what;
                    default -> null;
                };
                if (point == null) {
                    return call.proceed();
                }
                come("before " + point);
                Object answer = call.proceed();
                come("after " + point);
                return answer;
            });
        }

        private void come(String point) {
            try {
                hook.at(id, point);
            } catch (Killed e) {
                coordinator.exited(id, "was killed");
                throw e;
            }
        }
    }
}
