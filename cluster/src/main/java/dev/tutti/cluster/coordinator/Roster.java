package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Who is a member, who was, and which of them form the present group. A name is given once. */
public final class Roster implements JournaledState {
    /** Ids without a number come after all that have one. */
    private static final long UNNUMBERED = 1_000_000_000L;

    private final Map<String, MemberRecord> places = new LinkedHashMap<>();
    private final Map<String, String> sessions = new HashMap<>();
    private final Map<String, Fact.Formed> groups = new TreeMap<>();
    private int trainings;

    /** Lets somebody in; one that is in already, by its session, gets the same place. */
    Fact.Joined join(Event.Join asked, int most, long now) {
        String before = sessions.get(asked.session());
        if (before != null) {
            return living(before).joined();
        }
        TextLimits.requireName("the role", asked.role());
        if (asked.wish() != null) {
            TextLimits.requireName("the wished name", asked.wish());
        }
        boolean worker = asked.role().equals(MemberRecord.WORKER);
        if (worker) {
            requireNotOver(asked.trainings(), now);
        }
        if (living(role -> role.equals(asked.role())) >= most) {
            throw new RefusedException(
                    Kind.FULL,
                    "all " + most + " places are taken: the job was started for at most so many " + asked.role()
                            + "s (max)");
        }
        return new Fact.Joined(
                newId(asked.wish(), asked.role()),
                asked.session(),
                asked.role(),
                asked.host(),
                asked.process(),
                asked.trainings());
    }

    private long living(Predicate<String> role) {
        return places.values().stream()
                .filter(place -> place.living() && role.test(place.role()))
                .count();
    }

    /** That one more training is over, when somebody of its group has just gone and nobody of it is left to go on. */
    Optional<Fact.Over> over(Fact.Lost last) {
        boolean over = group().members().contains(last.member())
                && livingOfGroup().isEmpty()
                && lostOfGroup().stream().anyMatch(place -> place.lost().cause() == LossCause.DONE);
        return over ? Optional.of(new Fact.Over(trainings + 1)) : Optional.empty();
    }

    /** Members that came for a training that is over. */
    List<MemberRecord> late() {
        return living().stream()
                .filter(place -> place.isWorker() && place.trainings() < trainings)
                .toList();
    }

    /** @throws RefusedException for whoever comes for a training that is over */
    void requireNotOver(int trainingsBefore, long now) {
        if (trainingsBefore < trainings) {
            throw tooLate(now);
        }
    }

    /** For whoever comes for a training that is over: it would wait for the others in vain, and then train alone. */
    RefusedException tooLate(long now) {
        List<MemberRecord> last = lostOfGroup();
        long ended = last.stream().mapToLong(MemberRecord::lostAt).max().orElse(now);
        return new RefusedException(
                Kind.OVER,
                "the training is over: "
                        + String.join(", ", last.stream().map(MemberRecord::id).toList()) + " ended it "
                        + MessageText.seconds(now - ended)
                        + " ago. There is nothing left to do; another training needs another coordinator");
    }

    /**
     * An id that was never used: the wished one if that is so; {@code worker-1b} if {@code worker-1} is gone, so that people
     * recognise a member that comes back; otherwise the next number of the role.
     */
    private String newId(String wish, String role) {
        if (wish != null && !places.containsKey(wish)) {
            return wish;
        }
        boolean returns = wish != null && !places.get(wish).living();
        for (char letter = 'b'; returns && letter <= 'z'; letter++) {
            String again = wish.replaceFirst("(?<=\\d)[b-z]$", "") + letter;
            if (!places.containsKey(again)) {
                return again;
            }
        }
        long next = 0;
        for (MemberRecord place : places.values()) {
            boolean numbered = place.role().equals(role) && place.order() < UNNUMBERED;
            next = numbered ? Math.max(next, place.order() + 1) : next;
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
        return numbered ? Long.parseLong(digits) : UNNUMBERED + places.size();
    }

    public Optional<MemberRecord> place(String id) {
        return Optional.ofNullable(places.get(id));
    }

    /**
     * A member that is one.
     *
     * @throws RefusedException if it is gone or was never here
     */
    MemberRecord living(String id) {
        MemberRecord place = place(id)
                .orElseThrow(() -> new RefusedException(Kind.UNKNOWN, "there is no member " + id + ": join first"));
        if (!place.living()) {
            boolean slow = place.lost().cause() == LossCause.SLOW;
            throw new RefusedException(
                    slow ? Kind.TOO_SLOW : Kind.GONE,
                    id + " is no longer a member: " + place.lost().why()
                            + ". What it did since is not used"
                            + (slow ? "." : "; it may join as a new member."));
        }
        return place;
    }

    /** Whether this session is that of the member. */
    boolean isSession(String member, String session) {
        return place(member)
                .map(place -> MessageDigest.isEqual(
                        place.session().getBytes(StandardCharsets.UTF_8), session.getBytes(StandardCharsets.UTF_8)))
                .orElse(false);
    }

    /** All who are or were here, in the order of joining. */
    Collection<MemberRecord> places() {
        return places.values();
    }

    List<MemberRecord> living() {
        return places.values().stream().filter(MemberRecord::living).toList();
    }

    /** The present group of the workers. */
    public Fact.Formed group() {
        return group(MemberRecord.WORKER);
    }

    /** The present group of a role; without members and of generation 0 if there is none. */
    Fact.Formed group(String role) {
        Fact.Formed group = groups.get(role);
        return group == null ? new Fact.Formed(0, List.of(), 0, false, role) : group;
    }

    /** How many members have come and gone so far. */
    long changes() {
        return places.size()
                + places.values().stream().filter(place -> !place.living()).count();
    }

    /** How many trainings are over. */
    int trainings() {
        return trainings;
    }

    /** Those of the workers' present group that are still members. */
    public List<MemberRecord> livingOfGroup() {
        return livingOfGroup(MemberRecord.WORKER);
    }

    List<MemberRecord> livingOfGroup(String role) {
        return group(role).members().stream()
                .map(places::get)
                .filter(MemberRecord::living)
                .toList();
    }

    List<MemberRecord> lostOfGroup() {
        return lostOfGroup(MemberRecord.WORKER);
    }

    List<MemberRecord> lostOfGroup(String role) {
        return group(role).members().stream()
                .map(places::get)
                .filter(place -> !place.living())
                .toList();
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Joined joined) {
            sessions.put(joined.session(), joined.member());
            places.putIfAbsent(joined.member(), MemberRecord.of(joined, orderOf(joined.member()), at));
        } else if (fact instanceof Fact.Lost lost) {
            places.computeIfPresent(lost.member(), (id, place) -> place.lost(lost, at));
        } else if (fact instanceof Fact.Formed formed) {
            groups.put(formed.role(), formed);
        } else if (fact instanceof Fact.Over over) {
            trainings = over.trainings();
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        List<Journal.Entry> entries = new ArrayList<>();
        for (MemberRecord place : places.values()) {
            entries.add(new Journal.Entry(place.joinedAt(), List.of(place.joined())));
            if (!place.living()) {
                entries.add(new Journal.Entry(place.lostAt(), List.of(place.lost())));
            }
        }
        groups.values().forEach(group -> entries.add(new Journal.Entry(now, List.of(group))));
        if (trainings > 0) {
            entries.add(new Journal.Entry(now, List.of(new Fact.Over(trainings))));
        }
        return entries;
    }

    @Override
    public String toString() {
        return places.values() + "\n" + groups + "\ntrainings " + trainings;
    }

    /** Of the first so many of a role by number those that have never come; none where they have other names. */
    List<String> unheardOf(String role, int expected) {
        Set<String> known = places().stream()
                .filter(place -> place.role().equals(role))
                .map(MemberRecord::id)
                .collect(Collectors.toSet());
        List<String> missing = IntStream.range(0, expected)
                .mapToObj(number -> role + "-" + number)
                .filter(id -> !known.contains(id))
                .toList();
        return missing.size() + known.size() == expected ? missing : List.of();
    }
}
