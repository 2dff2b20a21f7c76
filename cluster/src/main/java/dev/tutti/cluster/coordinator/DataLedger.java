package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.journal.Journal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who has which chunk of an epoch's data, and which were used. Each is used exactly once. Data sets have names, and epochs of their
 * own.
 *
 * <p>When an epoch begins, those before the last one are forgotten, and so are those behind the next: members are never further apart
 * than that, also when they go back to a checkpoint. What is left of a training that is over, or whose members have all gone, is
 * forgotten as well: those who come next say themselves what is used.
 */
final class DataLedger implements JournaledState {
    private static final int MOST_CHUNKS = 1 << 24;
    private static final int MOST_DATASETS = 1000;
    private static final String A_RUN_BEFORE = "a run before";

    private final Map<String, TreeMap<Integer, Epoch>> datasets = new TreeMap<>();
    private List<String> group = List.of();

    /** An epoch's chunks: a chunk that is in neither map is free. */
    private record Epoch(
            int chunks,
            TreeMap<Integer, String> used,
            TreeMap<Integer, String> leased,
            Map<String, TreeSet<Integer>> leasedBy,
            BitSet taken) {
        Epoch(int chunks) {
            this(chunks, new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new BitSet());
        }

        void lease(int chunk, String member) {
            end(chunk);
            leased.put(chunk, member);
            leasedBy.computeIfAbsent(member, name -> new TreeSet<>()).add(chunk);
            taken.set(chunk);
        }

        private void end(int chunk) {
            String holder = leased.remove(chunk);
            if (holder != null) {
                TreeSet<Integer> all = leasedBy.get(holder);
                all.remove(chunk);
                if (all.isEmpty()) {
                    leasedBy.remove(holder);
                }
            }
        }

        /** Chunks that a member has leased and not used. */
        Set<Integer> leasedBy(String member) {
            return leasedBy.getOrDefault(member, new TreeSet<>());
        }

        void use(List<Integer> chosen, String member) {
            for (int chunk : chosen) {
                end(chunk);
                used.put(chunk, member);
                taken.set(chunk);
            }
        }

        void free(String member) {
            for (int chunk : List.copyOf(leasedBy(member))) {
                end(chunk);
                taken.clear(chunk);
            }
        }

        Map<String, List<Integer>> usedBy() {
            Map<String, List<Integer>> members = new TreeMap<>();
            used.forEach((chunk, member) ->
                    members.computeIfAbsent(member, name -> new ArrayList<>()).add(chunk));
            return members;
        }
    }

    /** Says whether an epoch begins with this; empty if it has begun already. */
    Optional<Fact.Begun> begin(Event.Begin asked) {
        TextLimits.requireName("the name of a data set", asked.dataset());
        if (!datasets.containsKey(asked.dataset()) && datasets.size() >= MOST_DATASETS) {
            throw RefusedException.contradiction("expected at most " + MOST_DATASETS + " data sets at a time, received "
                    + asked.dataset() + " beside them");
        }
        Epoch known = epochs(asked.dataset()).get(asked.epoch());
        if (known != null) {
            if (known.chunks != asked.chunks()) {
                throw RefusedException.contradiction(asked.member() + " says that epoch " + asked.epoch() + " has "
                        + asked.chunks() + " chunks, but it was begun with " + known.chunks
                        + ": all members need the same data");
            }
            return Optional.empty();
        }
        if (asked.epoch() < 0 || asked.chunks() < 0 || asked.chunks() > MOST_CHUNKS) {
            throw RefusedException.contradiction("expected an epoch from 0 and at most " + MOST_CHUNKS
                    + " chunks, received epoch " + asked.epoch() + " with " + asked.chunks());
        }
        for (int chunk : asked.used()) {
            requireInside(asked.epoch(), asked.chunks(), chunk);
        }
        return Optional.of(new Fact.Begun(asked.dataset(), asked.epoch(), asked.chunks(), asked.used()));
    }

    /** The next chunk for a member; empty when none is free. */
    Optional<Fact.Leased> lease(Event.Lease asked) {
        Epoch epoch = epoch(asked.dataset(), asked.epoch());
        for (int chunk : epoch.leasedBy(asked.member())) {
            // Its answer was lost on the way: it is given again, or it would never be used.
            if (!asked.held().contains(chunk)) {
                return Optional.of(new Fact.Leased(asked.dataset(), asked.epoch(), chunk, asked.member()));
            }
        }
        OptionalInt free = asked.preference().choose(epoch.taken, epoch.chunks);
        return free.isPresent()
                ? Optional.of(new Fact.Leased(asked.dataset(), asked.epoch(), free.getAsInt(), asked.member()))
                : Optional.empty();
    }

    /** Checks that chunks may count as used; empty if that was said before. */
    Optional<Fact.Used> use(Event.Use asked) {
        Epoch epoch = epoch(asked.dataset(), asked.epoch());
        boolean said = true;
        for (int chunk : asked.chunks()) {
            requireInside(asked.epoch(), epoch.chunks, chunk);
            String user = epoch.used.get(chunk);
            if (user != null && !user.equals(asked.member())) {
                throw RefusedException.contradiction(asked.member() + " has used chunk " + chunk + " of epoch "
                        + asked.epoch() + ", but " + user + " had used it before");
            }
            String holder = epoch.leased.get(chunk);
            // A free one may be the chunk of a member that was lost between the agreement and saying so itself.
            if (holder != null && !holder.equals(asked.member())) {
                throw RefusedException.contradiction(asked.member() + " has used chunk " + chunk + " of epoch "
                        + asked.epoch() + ", but " + holder + " has leased it");
            }
            said &= user != null;
        }
        return said
                ? Optional.empty()
                : Optional.of(new Fact.Used(asked.dataset(), asked.epoch(), asked.chunks(), asked.member()));
    }

    /** Says whether a member gives anything back; one that comes late, to an epoch that is forgotten, does not. */
    Optional<Fact.GivenBack> giveBack(Event.GiveBack asked) {
        Epoch epoch = epochs(asked.dataset()).get(asked.epoch());
        return epoch != null && !epoch.leasedBy(asked.member()).isEmpty()
                ? Optional.of(new Fact.GivenBack(asked.dataset(), asked.epoch(), asked.member()))
                : Optional.empty();
    }

    List<Integer> used(String dataset, int epoch) {
        return List.copyOf(epoch(dataset, epoch).used.keySet());
    }

    private Map<Integer, Epoch> epochs(String dataset) {
        return datasets.getOrDefault(dataset, new TreeMap<>());
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Begun begun) {
            Map<Integer, Epoch> epochs = datasets.computeIfAbsent(begun.dataset(), name -> new TreeMap<>());
            epochs.keySet().removeIf(epoch -> Math.abs(epoch - begun.epoch()) > 1);
            Epoch epoch = new Epoch(begun.chunks());
            epoch.use(begun.used(), A_RUN_BEFORE);
            epochs.put(begun.epoch(), epoch);
        } else if (fact instanceof Fact.Leased lease) {
            epoch(lease.dataset(), lease.epoch()).lease(lease.chunk(), lease.member());
        } else if (fact instanceof Fact.Used used) {
            epoch(used.dataset(), used.epoch()).use(used.chunks(), used.member());
        } else if (fact instanceof Fact.GivenBack back) {
            epoch(back.dataset(), back.epoch()).free(back.member());
        } else if (fact instanceof Fact.Lost lost) {
            datasets.values().forEach(epochs -> epochs.values().forEach(epoch -> epoch.free(lost.member())));
        } else if (fact instanceof Fact.Formed formed && formed.ofWorkers()) {
            if (Collections.disjoint(group, formed.members())) {
                datasets.clear();
            }
            group = formed.members();
        } else if (fact instanceof Fact.Over) {
            datasets.clear();
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        List<Fact> facts = new ArrayList<>();
        datasets.forEach((name, epochs) -> epochs.forEach((number, epoch) -> {
            Map<String, List<Integer>> used = epoch.usedBy();
            List<Integer> before = used.remove(A_RUN_BEFORE);
            facts.add(new Fact.Begun(name, number, epoch.chunks, before == null ? List.of() : before));
            used.forEach((member, chunks) -> facts.add(new Fact.Used(name, number, chunks, member)));
            epoch.leased.forEach((chunk, member) -> facts.add(new Fact.Leased(name, number, chunk, member)));
        }));
        return facts.stream().map(fact -> new Journal.Entry(now, List.of(fact))).toList();
    }

    private Epoch epoch(String dataset, int number) {
        Map<Integer, Epoch> epochs = epochs(dataset);
        Epoch epoch = epochs.get(number);
        if (epoch == null) {
            boolean over = !epochs.isEmpty() && epochs.keySet().stream().allMatch(later -> later > number);
            throw RefusedException.contradiction(
                    "epoch " + number + (over ? " is over" : " has not begun: every member says begin first"));
        }
        return epoch;
    }

    private static void requireInside(int epoch, int chunks, int chunk) {
        if (chunk < 0 || chunk >= chunks) {
            throw RefusedException.contradiction(
                    "epoch " + epoch + " has chunks 0 to " + (chunks - 1) + ", received " + chunk);
        }
    }

    @Override
    public String toString() {
        return datasets.toString();
    }
}
