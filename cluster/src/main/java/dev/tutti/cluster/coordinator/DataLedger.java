package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Who has which chunk of an epoch's data, and which were used. Each is used exactly once.
 *
 * <p>The methods that decide change nothing; what was decided is entered as a {@link Fact}.
 */
final class DataLedger {
    private static final int MOST_CHUNKS = 1 << 24;

    private final Map<Integer, Epoch> epochs = new TreeMap<>();

    /** An epoch's chunks: a chunk that is in neither map is free. */
    private record Epoch(int chunks, TreeMap<Integer, String> used, TreeMap<Integer, String> leased, BitSet taken) {
        void free(String member) {
            leased.forEach((chunk, holder) -> {
                if (holder.equals(member)) {
                    taken.clear(chunk);
                }
            });
            leased.values().removeIf(member::equals);
        }
    }

    /** Says whether an epoch begins with this; empty if it has begun already. */
    Optional<Fact.Begun> begin(Event.Begin asked) {
        Epoch known = epochs.get(asked.epoch());
        if (known != null) {
            if (known.chunks != asked.chunks()) {
                throw contradiction(asked.member() + " says that epoch " + asked.epoch() + " has " + asked.chunks()
                        + " chunks, but it was begun with " + known.chunks + ": all members need the same data");
            }
            return Optional.empty();
        }
        if (asked.epoch() < 0 || asked.chunks() < 0 || asked.chunks() > MOST_CHUNKS) {
            throw contradiction("expected an epoch from 0 and at most " + MOST_CHUNKS + " chunks, received epoch "
                    + asked.epoch() + " with " + asked.chunks());
        }
        for (int chunk : asked.used()) {
            requireInside(asked.epoch(), asked.chunks(), chunk);
        }
        return Optional.of(new Fact.Begun(asked.epoch(), asked.chunks(), asked.used()));
    }

    /** The next chunk for a member; empty when none is free. */
    OptionalInt lease(Event.Lease asked) {
        Epoch epoch = epoch(asked.epoch());
        for (var lease : epoch.leased.entrySet()) {
            // Its answer was lost on the way: given again, or nobody would ever use it.
            if (lease.getValue().equals(asked.member()) && !asked.held().contains(lease.getKey())) {
                return OptionalInt.of(lease.getKey());
            }
        }
        int free = epoch.taken.nextClearBit(0);
        return free < epoch.chunks ? OptionalInt.of(free) : OptionalInt.empty();
    }

    /** Checks that chunks may count as used; empty if that was said before. */
    Optional<Fact.Used> use(Event.Use asked) {
        Epoch epoch = epoch(asked.epoch());
        boolean said = true;
        for (int chunk : asked.chunks()) {
            requireInside(asked.epoch(), epoch.chunks, chunk);
            String user = epoch.used.get(chunk);
            if (user != null && !user.equals(asked.member())) {
                throw contradiction(asked.member() + " has used chunk " + chunk + " of epoch " + asked.epoch()
                        + ", but " + user + " had used it before");
            }
            String holder = epoch.leased.get(chunk);
            // A free one may be the chunk of a member that was lost between the agreement and saying so itself.
            if (holder != null && !holder.equals(asked.member())) {
                throw contradiction(asked.member() + " has used chunk " + chunk + " of epoch " + asked.epoch()
                        + ", but " + holder + " has leased it");
            }
            said &= user != null;
        }
        return said ? Optional.empty() : Optional.of(new Fact.Used(asked.epoch(), asked.chunks(), asked.member()));
    }

    List<Integer> used(int epoch) {
        return List.copyOf(epoch(epoch).used.keySet());
    }

    boolean holds(String member, int epoch) {
        return epoch(epoch).leased.containsValue(member);
    }

    void enter(Fact.Begun begun) {
        Epoch epoch = new Epoch(begun.chunks(), new TreeMap<>(), new TreeMap<>(), new BitSet());
        begun.used().forEach(chunk -> {
            epoch.used.put(chunk, "a run before");
            epoch.taken.set(chunk);
        });
        epochs.put(begun.epoch(), epoch);
    }

    void enter(Fact.Leased lease) {
        Epoch epoch = epoch(lease.epoch());
        epoch.leased.put(lease.chunk(), lease.member());
        epoch.taken.set(lease.chunk());
    }

    void enter(Fact.Used used) {
        Epoch epoch = epoch(used.epoch());
        for (int chunk : used.chunks()) {
            epoch.leased.remove(chunk);
            epoch.used.put(chunk, used.member());
            epoch.taken.set(chunk);
        }
    }

    void enter(Fact.GivenBack back) {
        epoch(back.epoch()).free(back.member());
    }

    void enter(Fact.Lost lost) {
        epochs.values().forEach(epoch -> epoch.free(lost.member()));
    }

    private Epoch epoch(int number) {
        Epoch epoch = epochs.get(number);
        if (epoch == null) {
            throw contradiction("epoch " + number + " has not begun: every member says begin first");
        }
        return epoch;
    }

    private static void requireInside(int epoch, int chunks, int chunk) {
        if (chunk < 0 || chunk >= chunks) {
            throw contradiction("epoch " + epoch + " has chunks 0 to " + (chunks - 1) + ", received " + chunk);
        }
    }

    private static RefusedException contradiction(String message) {
        return new RefusedException(Kind.CONTRADICTION, message);
    }

    @Override
    public String toString() {
        return epochs.toString();
    }
}
