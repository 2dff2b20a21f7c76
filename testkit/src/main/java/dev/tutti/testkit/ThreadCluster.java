package dev.tutti.testkit;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.CollectivesFactory;
import dev.tutti.cluster.TeamView;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Team;
import dev.tutti.comm.connection.Connections;
import dev.tutti.testkit.fault.FaultyCalls;
import dev.tutti.testkit.fault.FaultyCollectives;
import dev.tutti.testkit.fault.MessageFaults;
import dev.tutti.train.JobFingerprint;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.WorkerTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole cluster in this JVM, every member a thread: the real coordinator, real connections to it, real teams and collectives, with
 * {@link MessageFaults} in between. Starts in no time, so that many runs can be made.
 *
 * <p>Order of calls: {@link #train} once, {@link #close}.
 */
public final class ThreadCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadCluster.class);

    private final TrainingScenario scenario;
    private final int members;
    private final MessageFaults mishaps;
    private final Stop stop;
    private boolean recovers = true;
    private final CoordinatorServer coordinator;
    private final Map<String, MemberResult> results = new ConcurrentHashMap<>();
    private final CountDownLatch over = new CountDownLatch(1);

    /**
     * A member that stops for good, without a word, at one of its calls to the others. Its heartbeats go on.
     *
     * @param member its number; -1 for none
     * @param call which of its calls, from 0
     */
    public record Stop(int member, int call) {
        public static final Stop NOBODY = new Stop(-1, 0);
    }

    public ThreadCluster(
            TrainingScenario scenario, int members, MembershipRules rules, MessageFaults mishaps, Stop stop) {
        this.scenario = scenario;
        this.members = members;
        this.mishaps = mishaps;
        this.stop = stop;
        coordinator = CoordinatorServer.start(ServerSettings.of(rules));
    }

    /** Members that do not meet again: any fault that breaks their group ends their training. */
    public ThreadCluster withoutRecovery() {
        recovers = false;
        return this;
    }

    /** Meets the others once. */
    private static final class Once extends TeamView {
        private boolean met;

        Once(Team team) {
            super(team);
        }

        @Override
        public Meeting meet(long progress) {
            if (met) {
                throw new MemberLostException(List.of(), "the group broke and is not to meet again");
            }
            met = true;
            return super.meet(progress);
        }
    }

    /**
     * Trains.
     *
     * @return what the members came to that ended within the limit. A member that stopped for good has no result
     */
    public Map<String, MemberResult> train(Duration limit) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            int index = i;
            Thread thread = new Thread(() -> play(index), "testkit-member-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        long deadline = System.nanoTime() + limit.toNanos();
        for (int i = 0; i < members; i++) {
            if (i != stop.member) {
                join(threads.get(i), deadline);
            }
        }
        if (results.size() < members - (stop.member < 0 ? 0 : 1)) {
            LOG.error("some members did not end within {} s\n{}", limit.toSeconds(), Stacks.all());
        }
        over.countDown();
        threads.forEach(thread -> join(thread, System.nanoTime() + TimeUnit.SECONDS.toNanos(5)));
        return new TreeMap<>(results);
    }

    private static void join(Thread thread, long deadline) {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The member that was stopped, woken when all is over. */
    private static final class Awoken extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private void play(int index) {
        String name = "worker-" + index;
        TrainingScenario mine = scenario.at(new Place(index));
        try (Trainer trainer = mine.trainer()) {
            results.put(name, MemberResult.of(trainer.fit(mine.data(), mine.fit()), trainer.model()));
        } catch (Awoken e) {
            LOG.debug("{} was stopped", name);
        } catch (RuntimeException | Error e) {
            LOG.info("{} has failed", name, e);
            results.put(name, MemberResult.of(e));
        }
    }

    /** Where one member works. */
    private final class Place implements Launcher {
        private final int index;
        private int calls;

        Place(int index) {
            this.index = index;
        }

        @Override
        public Team assemble(WorkerTask work) {
            String name = "worker-" + index;
            CollectivesFactory factory = (group, board, timeout) -> new FaultyCollectives(
                    Connections.open(group, board, timeout), timeout, (now, what) -> disturb(name));
            Team team = ClusterTeam.join(
                    new CoordinatorClient(coordinator.address(), new FaultyCalls(name, mishaps)),
                    JoinRequest.worker(name).process(name).settings(JobFingerprint.of(work)),
                    1,
                    factory);
            return recovers ? team : new Once(team);
        }

        private MessageFaults.Mishap disturb(String name) {
            if (index == stop.member && calls++ == stop.call) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new Awoken();
            }
            return mishaps.next(name, MessageFaults.COLLECTIVES);
        }
    }

    @Override
    public void close() {
        over.countDown();
        coordinator.close();
    }
}
