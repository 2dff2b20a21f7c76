package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.Presence;
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
import dev.tutti.comm.Messages;
import dev.tutti.comm.Ownership;
import dev.tutti.comm.Report;
import dev.tutti.comm.Team;
import dev.tutti.host.RunningTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
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
    private static final long LAST_CHANCE = 1_000;
    private static final String COORDINATOR = "coordinator";

    private final CoordinatorClient client;
    private final CollectivesFactory factory;
    private final int threads;
    private final Map<String, RemoteLeases> leases = new ConcurrentHashMap<>(); // by data set
    private final RemoteOwnership ownership;
    private final MemberMessages messages;
    private final TensorEncryption encryption;
    private final GroupStatus status = new GroupStatus();
    /** For what the training thread must not wait for. */
    private final ExecutorService errands = Executors.newSingleThreadExecutor(ClusterTeam::daemon);

    private final TreeSet<String> accused = new TreeSet<>();
    private JoinRequest request;
    private volatile String coordinatorHost; // null: a process of its own, or one that all members depend on
    private volatile Membership self;
    private volatile HeartbeatClient heartbeat;
    private volatile boolean alone;
    private volatile boolean closed;
    private volatile boolean failed;
    private volatile boolean done;
    private volatile Configuration configuration = Configuration.NONE;
    private volatile SubGroupCollectives subGroups;
    private volatile int trainingsOver;
    private final AtomicLong membersHeardOf = new AtomicLong();
    private volatile String farewell = "its work is done";
    private long generation;

    private ClusterTeam(CoordinatorClient client, JoinRequest request, int threads, CollectivesFactory factory) {
        this.client = client;
        this.request = request;
        this.threads = threads;
        this.factory = factory;
        this.self = client.join(this.request);
        this.ownership = new RemoteOwnership(client, () -> self);
        this.messages = new MemberMessages(client);
        this.encryption =
                new TensorEncryption(Optional.ofNullable(client.address().tls()));
        this.heartbeat = client.heartbeat(self, listener(self));
    }

    /**
     * Becomes a member of the job at an address.
     *
     * @param threads workers on threads of this member's JVM
     * @param factory makes what a group computes with
     */
    public static ClusterTeam join(
            CoordinatorAddress address, JoinRequest request, int threads, CollectivesFactory factory) {
        return join(new CoordinatorClient(address), request, threads, factory);
    }

    /** The same over a connection, which is closed with the team. */
    public static ClusterTeam join(
            CoordinatorClient client, JoinRequest request, int threads, CollectivesFactory factory) {
        try {
            return new ClusterTeam(client, request, threads, factory);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /**
     * Says which member runs the coordinator: where that one is lost, the others cannot meet again.
     *
     * @param member the name it wished for
     */
    ClusterTeam coordinatorRunsIn(String member) {
        coordinatorHost = member;
        return this;
    }

    /** No member can go on without the coordinator: says who is missing, and what can be done. */
    private MemberLostException lostWithCoordinator(CoordinatorLostException why) {
        return coordinatorHost == null
                ? new MemberLostException(List.of(COORDINATOR), why.getMessage(), why)
                : new MemberLostException(
                        List.of(COORDINATOR, coordinatorHost),
                        why.getMessage() + " " + coordinatorHost + " ran it and is gone with it, so the others end,"
                                + " and the first of them leaves a checkpoint if checkpoints are saved. To go on"
                                + " without its machine: take it out of 'worker' in the cluster spec of all, give the"
                                + " first that is left a port, start them again where that checkpoint is, and resume",
                        why);
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
        Group group = status.group();
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
        long begin = RunningTime.nanos();
        endGroup();
        requireCoordinator(patience);
        while (RunningTime.millisSince(begin) < limit) {
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
                throw lostWithCoordinator(e);
            }
        }
        throw new MemberLostException(
                accusedSoFar(), "the members did not come together within " + limit / 1000.0 + " s");
    }

    /**
     * A coordinator that was missed for as long as the job's patience is not waited for again; one that answers at once after all is gone
     * on with, since this process may have been stopped meanwhile.
     */
    private void requireCoordinator(Timeouts patience) {
        if (alone) {
            try {
                client.patience(Math.max(patience.heartbeat(), LAST_CHANCE)).configuration();
            } catch (CoordinatorLostException e) {
                throw lostWithCoordinator(e);
            }
            alone = false;
        }
        client.patience(patience.coordinator());
    }

    private Meeting open(CoordinatorClient.Met met) {
        generation = met.generation();
        int rank = 0;
        while (!met.members().get(rank).id().equals(self.id())) {
            rank++;
        }
        Group group = new Group(generation, rank, met.members());
        Duration timeout = Duration.ofMillis(self.patience().collective());
        RemoteBoard board = new RemoteBoard(client, self, generation, encryption);
        Collectives opened = factory.open(group, board, timeout);
        SubGroupCollectives parts = new SubGroupCollectives(group, board, factory, timeout, this::accuse);
        synchronized (accused) {
            accused.clear();
        }
        subGroups = parts;
        status.begin(group, new GuardedCollectives(opened, this::accuse, Optional.of(parts)));
        return new Meeting(group, met.source(), met.takeOver());
    }

    private void refused(RefusedException e) {
        switch (e.kind()) {
            case GONE, UNKNOWN -> {
                LOG.warn("{} Joining as a new member.", e.getMessage());
                // To a coordinator that does not know it, its old name would denote the member of before.
                rejoin(e.kind() == RefusedException.Kind.GONE ? self.id() : null);
            }
            case TOO_FEW -> throw new MemberLostException(e.members(), e.getMessage(), e);
            case TOO_SLOW -> throw new MemberLostException(List.of(self.id()), e.getMessage(), e);
            default -> throw e;
        }
    }

    private void rejoin(String wish) {
        String before = self.id();
        heartbeat.close();
        request = request.again(wish);
        leases.values().forEach(RemoteLeases::forget);
        try {
            self = client.join(request);
        } catch (RefusedException e) {
            throw new MemberLostException(List.of(before), before + " cannot come back: " + e.getMessage(), e);
        }
        heartbeat = client.heartbeat(self, listener(self));
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
        Collectives old = status.end();
        if (old != null) {
            old.abort(new MemberLostException(List.of(), "this member meets the others again"));
            old.close();
        }
    }

    private HeartbeatClient.Listener listener(Membership mine) {
        return new HeartbeatClient.Listener() {
            @Override
            public void notice(MembershipNotice now) {
                alone = false;
                trainingsOver = Math.max(trainingsOver, now.trainings());
                if (membersHeardOf.getAndSet(now.members()) != now.members()) {
                    run(messages::membersChanged);
                }
                if (!mine.equals(self)) {
                    LOG.debug("{} is {} now", mine, self);
                } else if (now.gone() != null) {
                    status.breakOff(new MemberLostException(
                            List.of(self.id()), self.id() + " is no longer a member: " + now.gone()));
                } else {
                    status.hear(now);
                }
            }

            @Override
            public void configured(Configuration now) {
                configuration = now;
            }

            @Override
            public void refused(RefusedException why) {
                if (mine.equals(self)) {
                    status.breakOff(new MemberLostException(List.of(mine.id()), why.getMessage(), why));
                }
            }

            @Override
            public void alone(CoordinatorLostException why) {
                alone = true;
                status.breakOff(lostWithCoordinator(why));
            }
        };
    }

    @Override
    public Group group() {
        return required(status.group());
    }

    @Override
    public Collectives collectives() {
        return required(status.collectives());
    }

    @Override
    public Collectives collectives(Group sub) {
        return required(status.collectives() == null ? null : subGroups).of(sub);
    }

    @Override
    public Messages messages() {
        return messages.of(self, request.host(), request.role());
    }

    @Override
    public Ownership ownership() {
        return ownership;
    }

    @Override
    public List<Member> members(String role) {
        try {
            return client.present(role).stream().map(Presence::member).toList();
        } catch (CoordinatorLostException e) {
            throw new MemberLostException(List.of("coordinator"), e.getMessage(), e);
        }
    }

    @Override
    public boolean isOver() {
        return trainingsOver > request.trainings();
    }

    private static <T> T required(T met) {
        if (met == null) {
            throw new IllegalStateException("there is no group: meet first");
        }
        return met;
    }

    @Override
    public void check() {
        status.check();
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
        heartbeat.report(report);
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public void configure(String key, String value) {
        run(() -> {
            try {
                client.configure(key, value);
            } catch (TuttiException e) {
                LOG.warn("the setting {} could not be changed: {}", key, e.getMessage());
            }
        });
    }

    private void run(Runnable errand) {
        try {
            errands.execute(errand);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} has left meanwhile", self.id(), e);
        }
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
        done = true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        errands.shutdown();
        HeartbeatClient last = heartbeat;
        last.close();
        try {
            client.leave(self, farewell, done);
        } catch (TuttiException e) {
            LOG.debug("{} could not say good-bye", self.id(), e);
        }
        messages.close();
        Collectives old = status.end();
        if (old != null) {
            old.close();
        }
        client.close();
    }
}
