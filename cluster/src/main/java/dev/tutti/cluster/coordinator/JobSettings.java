package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The settings of the training that members come for, as the first of them brought them: members that bring others train another job
 * and are refused.
 *
 * <p>Settings count for as long as a worker of that training lives. When all are lost and are started again with other settings, the
 * first of those sets what holds.
 */
final class JobSettings implements JournaledState {
    private static final int MOST_NAMED = 5;
    private static final long MOST_CHARACTERS = 2 << 20;

    /** By the number of trainings that were done before. */
    private final Map<Integer, Fact.Described> described = new TreeMap<>();

    /** @throws RefusedException if a worker brings other settings than those of the living workers of the same training */
    void require(Event.Join asked, Roster roster) {
        if (!asked.role().equals(MemberRecord.WORKER)) {
            return;
        }
        requireShort(asked);
        Fact.Described first = described.get(asked.trainings());
        if (first == null || !holds(first, roster) || first.settings().equals(asked.settings())) {
            return;
        }
        String who = (asked.wish() == null ? "a new worker" : asked.wish()) + " on " + asked.host();
        throw new RefusedException(
                Kind.OTHER_JOB,
                who + " does not train the same job as " + first.member() + ": "
                        + differences(first, asked.settings())
                        + ". All members of a job need the same settings: start it with those of " + first.member()
                        + ", or with a coordinator of its own");
    }

    private static void requireShort(Event.Join asked) {
        long characters = asked.settings().entrySet().stream()
                .mapToLong(setting -> setting.getKey().length()
                        + (long) String.valueOf(setting.getValue()).length())
                .sum();
        if (characters > MOST_CHARACTERS) {
            throw RefusedException.contradiction(
                    "the job's settings have " + characters + " characters, expected at most " + MOST_CHARACTERS);
        }
    }

    private static boolean holds(Fact.Described first, Roster roster) {
        return roster.places().stream()
                .anyMatch(place -> place.living() && place.isWorker() && place.trainings() == first.trainings());
    }

    private static String differences(Fact.Described first, Map<String, String> others) {
        TreeSet<String> names = new TreeSet<>(first.settings().keySet());
        names.addAll(others.keySet());
        List<String> found = new ArrayList<>();
        for (String name : names) {
            String expected = first.settings().get(name);
            String received = others.get(name);
            if (expected == null || !expected.equals(received)) {
                found.add(name + " is " + word(received) + ", but " + word(expected) + " for " + first.member());
            }
        }
        String some = String.join("; ", found.subList(0, Math.min(MOST_NAMED, found.size())));
        return found.size() <= MOST_NAMED ? some : some + "; and " + (found.size() - MOST_NAMED) + " more";
    }

    private static String word(String value) {
        return value == null ? "not set" : "'" + MessageText.shortened(value) + "'";
    }

    /** What is to be kept of a worker that was let in, if it is the first of its training. */
    List<Fact.Described> describe(Event.Join asked, Fact.Joined joined) {
        boolean known = described.containsKey(asked.trainings())
                && described.get(asked.trainings()).settings().equals(asked.settings());
        return known || !joined.role().equals(MemberRecord.WORKER)
                ? List.of()
                : List.of(new Fact.Described(asked.trainings(), joined.member(), asked.settings()));
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Described first) {
            described.put(first.trainings(), first);
        } else if (fact instanceof Fact.Over over) {
            described.keySet().removeIf(trainings -> trainings < over.trainings());
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return described.values().stream()
                .map(first -> new Journal.Entry(now, List.<Fact>of(first)))
                .toList();
    }

    @Override
    public String toString() {
        return described.values().toString();
    }
}
