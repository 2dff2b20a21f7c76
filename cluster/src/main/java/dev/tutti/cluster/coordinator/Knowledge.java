package dev.tutti.cluster.coordinator;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a coordinator keeps through everything, also through its own death: the sum of all {@linkplain Fact facts}. */
final class Knowledge {
    private static final Fact.Formed NOBODY = new Fact.Formed(0, List.of(), 0, false);

    private final Map<String, Place> places = new LinkedHashMap<>();
    private final Map<String, String> sessions = new LinkedHashMap<>();
    private final Map<String, String> notes = new TreeMap<>();
    private final Map<String, String> settings = new TreeMap<>();
    private final DataLedger ledger = new DataLedger();
    private Fact.Formed group = NOBODY;
    private long version;
    private int trainings;

    void enter(Fact fact, long at) {
        if (fact instanceof Fact.Joined joined) {
            sessions.put(joined.session(), joined.member());
            places.putIfAbsent(
                    joined.member(),
                    new Place(
                            joined.member(),
                            orderOf(joined.member()),
                            joined.session(),
                            joined.role(),
                            joined.host(),
                            joined.process(),
                            at,
                            joined.trainings(),
                            null,
                            0));
        } else if (fact instanceof Fact.Lost lost) {
            places.computeIfPresent(lost.member(), (id, place) -> place.lost(lost, at));
            ledger.enter(lost);
            if (group.members().contains(lost.member()) && livingOfGroup().isEmpty()) {
                trainings +=
                        lostOfGroup().stream().anyMatch(place -> place.lost().cause() == Cause.DONE) ? 1 : 0;
            }
        } else if (fact instanceof Fact.Formed formed) {
            group = formed;
            notes.clear();
        } else if (fact instanceof Fact.Posted posted) {
            notes.put(posted.name(), posted.note());
        } else if (fact instanceof Fact.Begun begun) {
            ledger.enter(begun);
        } else if (fact instanceof Fact.Leased leased) {
            ledger.enter(leased);
        } else if (fact instanceof Fact.Used used) {
            ledger.enter(used);
        } else if (fact instanceof Fact.GivenBack back) {
            ledger.enter(back);
        } else if (fact instanceof Fact.Configured configured) {
            version = configured.version();
            if (configured.value() == null) {
                settings.remove(configured.key());
            } else {
                settings.put(configured.key(), configured.value());
            }
        }
    }

    Optional<Place> place(String id) {
        return Optional.ofNullable(places.get(id));
    }

    Optional<Place> ofSession(String session) {
        return Optional.ofNullable(sessions.get(session)).map(places::get);
    }

    Collection<Place> places() {
        return places.values();
    }

    List<Place> livingWorkers() {
        return places.values().stream()
                .filter(place -> place.living() && place.isWorker())
                .toList();
    }

    /** Those of the present group that are still members. */
    List<Place> livingOfGroup() {
        return group.members().stream().map(places::get).filter(Place::living).toList();
    }

    List<Place> lostOfGroup() {
        return group.members().stream()
                .map(places::get)
                .filter(place -> !place.living())
                .toList();
    }

    /** An id that was never used: the wished one if that is so, otherwise the next number of the role. */
    String newId(String wish, String role) {
        if (wish != null && !places.containsKey(wish)) {
            return wish;
        }
        long next = 0;
        for (Place place : places.values()) {
            next = place.role().equals(role) ? Math.max(next, place.order() + 1) : next;
        }
        while (places.containsKey(role + "-" + next)) {
            next++;
        }
        return role + "-" + next;
    }

    /** The number at the end of an id; those without come after, in the order of joining. */
    private long orderOf(String id) {
        int dash = id.lastIndexOf('-');
        String digits = id.substring(dash + 1);
        boolean numbered = dash >= 0
                && !digits.isEmpty()
                && digits.length() < 10
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return numbered ? Long.parseLong(digits) : 1_000_000_000L + places.size();
    }

    Fact.Formed group() {
        return group;
    }

    /** How many trainings are over: all of a group have gone, and not all because they failed. */
    int trainings() {
        return trainings;
    }

    Optional<String> note(String name) {
        return Optional.ofNullable(notes.get(name));
    }

    int noteCount() {
        return notes.size();
    }

    Map<String, String> settings() {
        return settings;
    }

    long version() {
        return version;
    }

    DataLedger ledger() {
        return ledger;
    }

    /** All of it as text: equal texts are equal knowledge. */
    @Override
    public String toString() {
        return String.join(
                "\n",
                List.of(
                        places.toString(),
                        sessions.toString(),
                        notes.toString(),
                        settings + " version " + version,
                        ledger.toString(),
                        "trainings " + trainings,
                        group.toString()));
    }
}
