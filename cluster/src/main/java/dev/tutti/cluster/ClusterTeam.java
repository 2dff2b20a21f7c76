package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.HeartbeatClient;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Group;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A team whose members meet through a coordinator.
 *
 * <p>A member that was declared gone and comes back (its machine slept, its process was stopped) is told so at the next step, and
 * its next meeting admits it as a new member, which takes over the others' state.
 */
public final class ClusterTeam implements Team {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterTeam.class);
    private static final int LONGEST_FAREWELL = 500;
    /** Trainings that this process has done, by coordinator: a program may do several, one after the other. */
    private static final Map<CoordinatorAddress, Integer> TRAININGS = new ConcurrentHashMap<>();

    private final CoordinatorClient client;
    private final CollectivesFactory factory;
    private final int threads;
    private final Map<String, RemoteLeases> leases = new ConcurrentHashMap<>(); // by data set
    private final GroupStatus standing = new GroupStatus();
    /** For what the training thread must not wait for. */
    private final ExecutorService errands = Executors.newSingleThreadExecutor(ClusterTeam::daemon);

    private final TreeSet<String> accused = new TreeSet<>();
    private JoinRequest newcomer;
    private volatile Membership self;
    private volatile HeartbeatClient pulse;
    private volatile boolean alone;
    private volatile boolean closed;
    private volatile boolean failed;
    private volatile boolean done;
    private volatile Configuration configuration = Configuration.NONE;
    private volatile String farewell = "its work is done";
    private long generation;

    private ClusterTeam(CoordinatorClient client, JoinRequest newcomer, int threads, CollectivesFactory factory) {
        this.client = client;
        this.newcomer = newcomer.after(TRAININGS.getOrDefault(client.address(), 0));
        this.threads = threads;
        this.factory = factory;
        this.self = client.join(this.newcomer);
        this.pulse = client.pulse(self, listener(self));
    }

    /**
     * Becomes a member of the job at an address.
     *
     * @param threads workers on threads of this member's JVM
     * @param factory makes what a group computes with
     */
    public static ClusterTeam join(
            CoordinatorAddress address, JoinRequest newcomer, int threads, CollectivesFactory factory) {
        return join(new CoordinatorClient(address), newcomer, threads, factory);
    }

    /** The same over a connection, which is closed with the team. */
    public static ClusterTeam join(
            CoordinatorClient client, JoinRequest newcomer, int threads, CollectivesFactory factory) {
        try {
            return new ClusterTeam(client, newcomer, threads, factory);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "tutti-errands");
        thread.setDaemon(true);
        return thread;
    }

    /** The id the coordinator gave this member; another one after it was declared gone and came back. */
    public String id() {
        return self.id();
    }

    /** Whether this member leaves because it has failed. */
    public boolean hasFailed() {
        return failed;
    }

    /** The ids of the last group's members; none before the first meeting. */
    public List<String> companions() {
        Group group = standing.group();
        return group == null
                ? List.of()
                : group.members().stream().map(Member::id).toList();
    }

    @Override
    public synchronized Meeting meet(long progress) {
        Timeouts patience = self.patience();
        long limit = patience.start()
                + patience.meeting()
                + patience.tooFew()
                + patience.collective()
                + patience.coordinator();
        long begin = System.nanoTime();
        client.patience(alone ? patience.heartbeat() : patience.coordinator()); // waited for long enough already
        endGroup();
        while (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) < limit) {
            try {
                Optional<CoordinatorClient.Met> met = client.meet(self, generation, progress, accusedSoFar());
                if (met.isPresent()) {
                    return open(met.get());
                }
            } catch (RefusedException e) {
                refused(e);
            } catch (MemberLostException e) {
                LOG.info("{}: the group broke while it came together: {}", self.id(), e.getMessage());
                accuse(e);
            } catch (CoordinatorLostException e) {
                throw new MemberLostException(List.of("coordinator"), e.getMessage(), e);
            }
        }
        throw new MemberLostException(
                accusedSoFar(), "the members did not come together within " + limit / 1000.0 + " s");
    }

    private Meeting open(CoordinatorClient.Met met) {
        generation = met.generation();
        int rank = 0;
        while (!met.members().get(rank).id().equals(self.id())) {
            rank++;
        }
        Group group = new Group(generation, rank, met.members());
        Duration timeout = Duration.ofMillis(self.patience().collective());
        Collectives opened = factory.open(group, new RemoteBoard(client, self, generation), timeout);
        synchronized (accused) {
            accused.clear();
        }
        standing.begin(group, new GuardedCollectives(opened, this::accuse));
        return new Meeting(group, met.source(), met.takeOver());
    }

    private void refused(RefusedException e) {
        switch (e.kind()) {
            case GONE, UNKNOWN -> {
                LOG.warn("{} Joining as a new member.", e.getMessage());
                rejoin();
            }
            case TOO_FEW -> throw new MemberLostException(e.members(), e.getMessage(), e);
            case TOO_SLOW -> throw new MemberLostException(List.of(self.id()), e.getMessage(), e);
            default -> throw e;
        }
    }

    private void rejoin() {
        String before = self.id();
        pulse.close();
        newcomer = newcomer.again();
        leases.values().forEach(RemoteLeases::forget);
        try {
            self = client.join(newcomer);
        } catch (RefusedException e) {
            throw new MemberLostException(List.of(before), before + " cannot come back: " + e.getMessage(), e);
        }
        pulse = client.pulse(self, listener(self));
    }

    private void accuse(MemberLostException failure) {
        synchronized (accused) {
            accused.addAll(failure.members());
            accused.remove(self.id());
        }
    }

    private List<String> accusedSoFar() {
        synchronized (accused) {
            return List.copyOf(accused);
        }
    }

    private void endGroup() {
        Collectives old = standing.end();
        if (old != null) {
            old.abort(new MemberLostException(List.of(), "this member meets the others again"));
            old.close();
        }
    }

    private HeartbeatClient.Listener listener(Membership mine) {
        return new HeartbeatClient.Listener() {
            @Override
            public void situation(MembershipNotice now) {
                alone = false;
                if (!mine.equals(self)) {
                    LOG.debug("{} is {} now", mine, self);
                } else if (now.gone() != null) {
                    standing.breakOff(new MemberLostException(
                            List.of(self.id()), self.id() + " is no longer a member: " + now.gone()));
                } else {
                    standing.hear(now);
                }
            }

            @Override
            public void configured(Configuration now) {
                configuration = now;
            }

            @Override
            public void refused(RefusedException why) {
                if (mine.equals(self)) {
                    standing.breakOff(new MemberLostException(List.of(mine.id()), why.getMessage(), why));
                }
            }

            @Override
            public void alone(CoordinatorLostException why) {
                alone = true;
                standing.breakOff(new MemberLostException(List.of("coordinator"), why.getMessage(), why));
            }
        };
    }

    @Override
    public Group group() {
        return required(standing.group());
    }

    @Override
    public Collectives collectives() {
        return required(standing.collectives());
    }

    private static <T> T required(T met) {
        if (met == null) {
            throw new IllegalStateException("there is no group: meet first");
        }
        return met;
    }

    @Override
    public void check() {
        standing.check();
    }

    @Override
    public int threads() {
        return threads;
    }

    @Override
    public Leases leases(String dataset) {
        return leases.computeIfAbsent(dataset, name -> new RemoteLeases(client, () -> self, name));
    }

    @Override
    public void report(Report report) {
        pulse.report(report);
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public void configure(String key, String value) {
        var unused = errands.submit(() -> {
            try {
                client.configure(key, value);
            } catch (TuttiException e) {
                LOG.warn("the setting {} could not be changed: {}", key, e.getMessage());
            }
        });
    }

    @Override
    public void failed(Throwable why) {
        failed = true;
        String message = String.valueOf(why.getMessage());
        farewell = "it failed with " + why.getClass().getSimpleName() + ": "
                + message.substring(0, Math.min(message.length(), LONGEST_FAREWELL));
    }

    @Override
    public void done() {
        if (!done) {
            done = true;
            TRAININGS.merge(client.address(), 1, Integer::sum);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        errands.shutdown();
        HeartbeatClient last = pulse;
        last.close();
        try {
            client.leave(self, farewell, done);
        } catch (TuttiException e) {
            LOG.debug("{} could not say good-bye", self.id(), e);
        }
        Collectives old = standing.end();
        if (old != null) {
            old.close();
        }
        client.close();
    }
}
