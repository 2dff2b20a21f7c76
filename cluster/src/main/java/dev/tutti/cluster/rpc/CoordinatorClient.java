package dev.tutti.cluster.rpc;

import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.coordinator.Presence;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.comm.ChunkPreference;
import dev.tutti.comm.Configuration;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.host.RunningTime;
import dev.tutti.train.Version;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Speaks with a coordinator: as a launcher or onlooker at once, as a member after {@link #join}.
 *
 * <p>Every call has a deadline and outlives a coordinator that is killed and started again. All of them throw {@link
 * RefusedException} when the coordinator says no and {@link CoordinatorLostException} when it was not reached. May be used by
 * several threads.
 */
public final class CoordinatorClient implements AutoCloseable {
    private static final long SHORT = 2_000;

    private final CoordinatorAddress address;
    private final ManagedChannel channel;
    private final CoordinatorCalls calls;
    private final Map<String, Met> lastGroups = new ConcurrentHashMap<>(); // by member
    private volatile long patience = Timeouts.DEFAULT.coordinator();
    private boolean beside;

    /** @param interceptors see every call before it is sent: for measuring, and for tests that disturb it */
    public CoordinatorClient(CoordinatorAddress address, ClientInterceptor... interceptors) {
        this.address = address;
        this.channel = CoordinatorChannels.open(address, interceptors);
        this.calls = new CoordinatorCalls(address, channel);
    }

    /** What came of a meeting: the members in the order of their ranks. */
    public record Met(long generation, List<Member> members, int source, boolean takeOver) {}

    public CoordinatorAddress address() {
        return address;
    }

    /** How long calls wait for a coordinator that is away. */
    public CoordinatorClient patience(long millis) {
        patience = millis;
        return this;
    }

    /** The coordinator is in this process, too: see {@link Timeouts#besideCoordinator}. */
    public CoordinatorClient besideCoordinator() {
        beside = true;
        return this;
    }

    /** Becomes a member. Joining again with the same session gives the same membership. */
    public Membership join(JoinRequest request) {
        CoordinatorProtocol.Joined joined = calls.call(
                CoordinatorProtocol.JOIN,
                new CoordinatorProtocol.Join(
                        request.session(),
                        request.wish(),
                        request.role(),
                        request.host(),
                        request.process(),
                        request.trainings(),
                        Version.current(),
                        request.machine(),
                        request.settings()),
                patience);
        Timeouts given = beside ? joined.patience().besideCoordinator() : joined.patience();
        patience = given.coordinator();
        lastGroups.remove(joined.member()); // groups of a coordinator that may know nothing of them
        return new Membership(joined.member(), request.session(), given);
    }

    /** Tells the coordinator, within a short time, that a member goes. @param done whether because the work of all is done */
    public void leave(Membership self, String why, boolean done) {
        calls.call(CoordinatorProtocol.LEAVE, new CoordinatorProtocol.Leave(self.caller(), why, done), SHORT);
    }

    /** The heartbeat of a member: says that it is there, and hears what happens. */
    public HeartbeatClient heartbeat(Membership self, HeartbeatClient.Listener listener) {
        return new HeartbeatClient(channel, calls, self, listener);
    }

    /** Waits with the others for a new group; empty when the wait of one call is over and it has to be asked again. */
    public Optional<Met> meet(Membership self, long after, long progress, List<String> accused) {
        // Answered well before this side would take the coordinator for lost, also while the others are still awaited.
        Met last = lastGroups.get(self.id());
        CoordinatorProtocol.Meet asked = new CoordinatorProtocol.Meet(
                self.caller(), after, progress, accused, patience / 2, last == null ? 0 : last.generation());
        CoordinatorProtocol.Met met = calls.call(CoordinatorProtocol.MEET, asked, patience);
        if (met.members() == null && met.change() == null) {
            return Optional.empty();
        }
        List<Member> members =
                met.change() == null ? met.members() : met.change().applyTo(last.members());
        Met now = new Met(met.generation(), members, met.source(), met.takeOver());
        lastGroups.put(self.id(), now);
        return Optional.of(now);
    }

    public void post(Membership self, long generation, String name, String note) {
        calls.call(
                CoordinatorProtocol.POST,
                new CoordinatorProtocol.Post(self.caller(), generation, name, note),
                patience);
    }

    /** Waits for a note; empty when it did not come in time. */
    public Optional<String> read(Membership self, long generation, String name, long millis) {
        long begin = RunningTime.nanos();
        long left = millis;
        while (left > 0) {
            CoordinatorProtocol.Note note = calls.call(
                    CoordinatorProtocol.READ,
                    new CoordinatorProtocol.Read(self.caller(), generation, name, left),
                    left + SHORT);
            if (note.note() != null) {
                return Optional.of(note.note());
            }
            left = millis - RunningTime.millisSince(begin);
        }
        return Optional.empty();
    }

    public void begin(Membership self, String dataset, int epoch, int chunks, List<Integer> used) {
        calls.call(
                CoordinatorProtocol.BEGIN,
                new CoordinatorProtocol.Begin(self.caller(), dataset, epoch, chunks, used),
                patience);
    }

    /** Another chunk. @param held those this member knows it has */
    public OptionalInt lease(
            Membership self, String dataset, int epoch, List<Integer> held, ChunkPreference preference) {
        int chunk = calls.call(
                        CoordinatorProtocol.LEASE,
                        new CoordinatorProtocol.Lease(self.caller(), dataset, epoch, held, preference),
                        patience)
                .chunk();
        return chunk < 0 ? OptionalInt.empty() : OptionalInt.of(chunk);
    }

    public void use(Membership self, String dataset, int epoch, List<Integer> chunks) {
        calls.call(
                CoordinatorProtocol.USE,
                new CoordinatorProtocol.Chunks(self.caller(), dataset, epoch, chunks),
                patience);
    }

    public void giveBack(Membership self, String dataset, int epoch) {
        calls.call(
                CoordinatorProtocol.GIVE_BACK,
                new CoordinatorProtocol.Chunks(self.caller(), dataset, epoch, List.of()),
                patience);
    }

    public List<Integer> used(Membership self, String dataset, int epoch) {
        return calls.call(
                        CoordinatorProtocol.USED,
                        new CoordinatorProtocol.Chunks(self.caller(), dataset, epoch, List.of()),
                        patience)
                .chunks();
    }

    /** Changes the configuration while the job runs; null takes a key away. */
    public Configuration configure(String key, String value) {
        return calls.call(CoordinatorProtocol.CONFIGURE, new CoordinatorProtocol.Setting(key, value), patience);
    }

    public Configuration configuration() {
        return calls.call(CoordinatorProtocol.CONFIGURATION, CoordinatorProtocol.Done.DONE, patience);
    }

    /** Says, as a launcher that saw it, that a process has ended: its members are gone at once. */
    public void exited(String process, String how) {
        calls.call(CoordinatorProtocol.EXITED, new CoordinatorProtocol.Exited(process, how), patience);
    }

    /** Says where a member listens for messages of others. */
    public void announce(Membership self, String messages) {
        calls.call(RoleWire.ANNOUNCE, new RoleWire.Announce(self.caller(), messages), patience);
    }

    /** The members of a role that are there, or of all roles if it is null. */
    public List<Presence> present(String role) {
        return calls.call(RoleWire.PRESENT, new RoleWire.Present(role), patience)
                .members();
    }

    /** A member that listens for messages or is gone; empty when neither was so within the time. */
    public Optional<Presence> find(String member, long millis) {
        long begin = System.nanoTime();
        long left = millis;
        while (left > 0) {
            List<Presence> found = calls.call(RoleWire.FIND, new RoleWire.Find(member, left), left + SHORT)
                    .members();
            if (!found.isEmpty()) {
                return Optional.of(found.get(0));
            }
            left = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        }
        return Optional.empty();
    }

    /** Takes a thing that no other member holds. */
    public Holding claim(Membership self, String thing) {
        return calls.call(RoleWire.CLAIM, new RoleWire.Claim(self.caller(), thing), patience);
    }

    /** Says, as the first holder, who holds a thing from now on. */
    public Holding assign(Membership self, Holding held, List<String> holders) {
        return calls.call(
                RoleWire.ASSIGN, new RoleWire.Assign(self.caller(), held.thing(), held.term(), holders), patience);
    }

    public Optional<Holding> holding(String thing) {
        return calls.call(RoleWire.HOLDINGS, new RoleWire.Things(thing, true), patience).things().stream()
                .findFirst();
    }

    /** All things whose names begin so. */
    public List<Holding> holdings(String prefix) {
        return calls.call(RoleWire.HOLDINGS, new RoleWire.Things(prefix, false), patience)
                .things();
    }

    /** How the job is doing. */
    public Overview overview() {
        return calls.call(CoordinatorProtocol.OVERVIEW, CoordinatorProtocol.Done.DONE, patience);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
