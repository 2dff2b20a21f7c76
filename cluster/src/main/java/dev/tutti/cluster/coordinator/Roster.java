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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Who is a member, who was, and which of them form the present group. A name is given once. */
public final class Roster implements JournaledState {
    /** Ids without a number come after all that have one. */
    private static final long UNNUMBERED = 1_000_000_000L;

    private final Map<String, MemberRecord> places = new LinkedHashMap<>();
    private final Map<String, String> sessions = new HashMap<>();
    private final Map<String, Fact.Formed> groups = new TreeMap<>();
    private final Map<String, Fact.Formed> groupsBefore = new HashMap<>();
    private final Map<String, GroupMembers> groupMembers = new HashMap<>();
    private final Map<String, Integer> livingOfRole = new HashMap<>();
    private final Map<String, Long> nextNumbers = new HashMap<>();
    private int lostCount;
    private int trainings;

    /** Lets a member in; one that is in already, by its session, gets the same place. */
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
        if (livingOfRole.getOrDefault(asked.role(), 0) >= most) {
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

    /** That one more training is over, when a member of its group has just gone and none is left to go on. */
    Optional<Fact.Over> over(Fact.Lost last) {
        boolean over = isOfGroup(MemberRecord.WORKER, last.member())
                && livingCountOfGroup(MemberRecord.WORKER) == 0
                && lostOfGroup().stream().anyMatch(place -> place.lost().cause() == LossCause.DONE);
        return over ? Optional.of(new Fact.Over(trainings + 1)) : Optional.empty();
    }

    /** Members that came for a training that is over. */
    List<MemberRecord> late() {
        return living().stream()
                .filter(place -> place.isWorker() && place.trainings() < trainings)
                .toList();
    }

    /** @throws RefusedException if the member comes for a training that is over */
    void requireNotOver(int trainingsBefore, long now) {
        if (trainingsBefore < trainings) {
            throw tooLate(now);
        }
    }

    /** For a member that comes for a training that is over: it would wait for the others in vain, and then train alone. */
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
        long next = nextNumbers.getOrDefault(role, 0L);
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

    /** The group of a role before the present one; not known where only the present one outlived the process. */
    Optional<Fact.Formed> groupBefore(String role) {
        return Optional.ofNullable(groupsBefore.get(role));
    }

    /** How many members have come and gone so far. */
    long changes() {
        return (long) places.size() + lostCount;
    }

    /** How many trainings are over. */
    int trainings() {
        return trainings;
    }

    /** How many of the workers' present group are still members. */
    public int livingCountOfGroup() {
        return livingCountOfGroup(MemberRecord.WORKER);
    }

    /** How many of the present group of a role are still members. */
    int livingCountOfGroup(String role) {
        return membersOf(role).livingCount();
    }

    /** Whether a member is or was in the workers' present group. */
    public boolean isOfGroup(String member) {
        return isOfGroup(MemberRecord.WORKER, member);
    }

    /** Whether a member is or was in the present group of a role. */
    boolean isOfGroup(String role, String member) {
        return membersOf(role).contains(member);
    }

    /** The rank of a member of the present group of a role. */
    int rank(String role, String member) {
        return membersOf(role).rank(member);
    }

    private GroupMembers membersOf(String role) {
        return groupMembers.getOrDefault(role, GroupMembers.NONE);
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

    /** The ids of those of the present group of a role that are gone; the same object until another one is. */
    List<String> lostIdsOfGroup(String role) {
        return membersOf(role).lost();
    }

    List<MemberRecord> lostOfGroup(String role) {
        return membersOf(role).lost().stream().map(places::get).toList();
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Joined joined) {
            sessions.put(joined.session(), joined.member());
            MemberRecord place = MemberRecord.of(joined, orderOf(joined.member()), at);
            if (places.putIfAbsent(joined.member(), place) == null) {
                livingOfRole.merge(place.role(), 1, Integer::sum);
                if (place.order() < UNNUMBERED) {
                    nextNumbers.merge(place.role(), place.order() + 1, Math::max);
                }
            }
        } else if (fact instanceof Fact.Lost lost) {
            MemberRecord place = places.get(lost.member());
            if (place != null) {
                places.put(place.id(), place.lost(lost, at));
                if (place.living()) {
                    livingOfRole.merge(place.role(), -1, Integer::sum);
                    lostCount++;
                    membersOf(place.role()).lose(place.id());
                }
            }
        } else if (fact instanceof Fact.Formed formed) {
            Fact.Formed before = groups.put(formed.role(), formed);
            if (before != null) {
                groupsBefore.put(formed.role(), before);
            }
            GroupMembers members = new GroupMembers(formed.members());
            formed.members().stream().filter(id -> !places.get(id).living()).forEach(members::lose);
            groupMembers.put(formed.role(), members);
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
