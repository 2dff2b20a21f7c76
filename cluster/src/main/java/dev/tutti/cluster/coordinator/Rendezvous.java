package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.supervision.FailureDetector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Brings the members of one role together in a new group.
 *
 * <p>It waits for all members of the group before that are alive, at the start for as many as are expected. A member that keeps the
 * others waiting for too long is given up. If too few are left, all of them are told so after a while.
 */
final class Rendezvous {
    private static final long NEVER = Long.MAX_VALUE;
    private static final int MOST_NAMED = 20;

    private final String role;
    private final MembershipRules rules;
    private final Map<String, Arrival> arrivals = new TreeMap<>();
    /** Who waited in vain for whom, by the one that was waited for. */
    private final Map<String, TreeSet<String>> accusers = new HashMap<>();

    private final Map<String, RefusedException> failures = new HashMap<>();
    private Set<String> missing; // living members of the group that have not come, by rank; null: to be found
    private long openedAt = NEVER;
    private long fewSince = NEVER;

    /** @param after the last group it was in */
    private record Arrival(long after, long progress, List<String> accused, long at) {
        Arrival worthNothing() {
            return new Arrival(after, -1, accused, at);
        }
    }

    /** @param rules what is asked of the role */
    Rendezvous(String role, MembershipRules rules) {
        this.role = role;
        this.rules = rules;
    }

    void arrive(Event.Meet meet, long now) {
        if (arrivals.isEmpty()) {
            openedAt = now;
            fewSince = NEVER;
        }
        failures.remove(meet.member());
        Arrival before = arrivals.get(meet.member());
        long since = before == null ? now : before.at;
        forgetAccusations(meet.member(), before);
        meet.accused()
                .forEach(id ->
                        accusers.computeIfAbsent(id, name -> new TreeSet<>()).add(meet.member()));
        if (missing != null) {
            missing.remove(meet.member());
        }
        arrivals.put(meet.member(), new Arrival(meet.after(), meet.progress(), meet.accused(), since));
    }

    private void forgetAccusations(String member, Arrival arrival) {
        for (String id : arrival == null ? List.<String>of() : arrival.accused) {
            Set<String> by = accusers.get(id);
            if (by != null && by.remove(member) && by.isEmpty()) {
                accusers.remove(id);
            }
        }
    }

    /** The coordinator did not run for a while: no member was waited for in that time. */
    void slept(long millis) {
        if (millis == 0) {
            return;
        }
        openedAt = openedAt == NEVER ? NEVER : openedAt + millis;
        fewSince = fewSince == NEVER ? NEVER : fewSince + millis;
        arrivals.replaceAll((member, arrival) ->
                new Arrival(arrival.after, arrival.progress, arrival.accused, arrival.at + millis));
    }

    Set<String> arrived() {
        return arrivals.keySet();
    }

    /** Why a member waited in vain, if so. */
    Optional<RefusedException> failure(String member) {
        return Optional.ofNullable(failures.get(member));
    }

    /** One thing that is to be decided now; to be asked again until there is nothing. */
    Optional<Fact> decide(Roster roster, FailureDetector detector, long now) {
        if (arrivals.isEmpty()) {
            return Optional.empty();
        }
        boolean starting = roster.livingCountOfGroup(role) == 0;
        if (missing == null) {
            missing = roster.livingOfGroup(role).stream()
                    .map(MemberRecord::id)
                    .filter(id -> !arrivals.containsKey(id))
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        }
        if (starting
                && arrivals.size() < rules.expected()
                && now - openedAt < rules.patience().start()) {
            return Optional.empty();
        }
        if (!missing.isEmpty()) {
            boolean waitIsOver = now - openedAt >= rules.patience().meeting();
            Stream<String> suspects = waitIsOver
                    ? missing.stream()
                    : accusers.keySet().stream()
                            .filter(missing::contains)
                            .sorted(Comparator.comparingInt(id -> roster.rank(role, id)));
            return suspects.flatMap(id -> giveUp(id, detector, now).stream()).findFirst();
        }
        if (arrivals.size() >= rules.min()) {
            return Optional.of(form(roster));
        }
        fewSince = Math.min(fewSince, now);
        // The wait of a start was long already.
        if (starting && now - openedAt >= rules.patience().start()
                || now - fewSince >= rules.patience().tooFew()) {
            fail(roster, now);
        }
        return Optional.empty();
    }

    /** A member that is alive and does not come: gone if it was accused or if the wait is over. */
    private Optional<Fact> giveUp(String id, FailureDetector detector, long now) {
        Timeouts patience = rules.patience();
        Set<String> by = accusers.getOrDefault(id, new TreeSet<>());
        if (!by.isEmpty()) {
            boolean silent = detector.stateOf(id, now) != FailureDetector.State.ALIVE;
            if (silent || missing.size() == 1 && now - firstArrival(by, now) >= patience.accused()) {
                return Optional.of(new Fact.Lost(
                        id,
                        LossCause.ACCUSED,
                        names(by) + " waited for it in vain, and it "
                                + (silent ? "is unresponsive" : "does not come")));
            }
        }
        if (now - openedAt >= patience.meeting()) {
            return Optional.of(new Fact.Lost(
                    id,
                    LossCause.ABSENT,
                    "it is alive but did not come to the meeting of " + names(arrivals.keySet()) + " within "
                            + MessageText.seconds(patience.meeting())));
        }
        return Optional.empty();
    }

    private long firstArrival(Set<String> members, long now) {
        return members.stream().mapToLong(id -> arrivals.get(id).at).min().orElse(now);
    }

    /** Some names, and how many more there are. */
    private static String names(Set<String> members) {
        String first = String.join(", ", members.stream().limit(MOST_NAMED).toList());
        return members.size() <= MOST_NAMED ? first : first + " and " + (members.size() - MOST_NAMED) + " others";
    }

    private Fact.Formed form(Roster roster) {
        List<MemberRecord> members = new ArrayList<>(arrivals.keySet().stream()
                .map(id -> roster.place(id).orElseThrow())
                .sorted(Comparator.comparingLong(MemberRecord::order).thenComparing(MemberRecord::id))
                .toList());
        while (members.size() > rules.max()) {
            members.remove(members.size() - 1);
        }
        long generation = roster.group(role).generation();
        boolean someStayed = members.stream().anyMatch(place -> roster.isOfGroup(role, place.id()));
        int source = 0;
        // Those who have never been together may have begun with other parameters: one state counts for all of them.
        boolean differ = !someStayed && members.size() > 1;
        List<Arrival> states = new ArrayList<>();
        for (MemberRecord place : members) {
            Arrival arrival = arrivals.get(place.id());
            generation = Math.max(generation, arrival.after);
            // One that was away may be as far as the others and yet differ in the last bits: it takes theirs.
            states.add(someStayed && !roster.isOfGroup(role, place.id()) ? arrival.worthNothing() : arrival);
        }
        // Where no member stayed (all were away, or this coordinator is new) those of the newest group know best.
        Comparator<Arrival> newest = Comparator.comparingLong(state -> someStayed ? 0 : state.after);
        Comparator<Arrival> furthest = newest.thenComparingLong(Arrival::progress);
        for (int rank = 0; rank < states.size(); rank++) {
            source = furthest.compare(states.get(rank), states.get(source)) > 0 ? rank : source;
            differ |= furthest.compare(states.get(rank), states.get(0)) != 0;
        }
        return new Fact.Formed(
                generation + 1, members.stream().map(MemberRecord::id).toList(), source, differ, role);
    }

    /** One that waits is told that it does so in vain. */
    void turnAway(String member, RefusedException why) {
        Arrival arrival = arrivals.remove(member);
        if (arrival != null) {
            forgetAccusations(member, arrival);
            missing = null;
            failures.put(member, why);
        }
    }

    /** Lost members are not waited for; a member without a place in the group that was formed waits for the next. */
    void enter(Fact fact, long now) {
        if (fact instanceof Fact.Lost lost) {
            forgetAccusations(lost.member(), arrivals.remove(lost.member()));
            if (missing != null) {
                missing.remove(lost.member());
            }
            failures.remove(lost.member());
        } else if (fact instanceof Fact.Formed group && group.role().equals(role)) {
            group.members().forEach(id -> forgetAccusations(id, arrivals.remove(id)));
            missing = null;
            openedAt = arrivals.isEmpty() ? NEVER : now;
            fewSince = NEVER;
        }
    }

    private void fail(Roster roster, long now) {
        Set<String> here = arrivals.keySet().stream()
                .map(id -> roster.place(id).orElseThrow().process())
                .collect(Collectors.toSet());
        List<MemberRecord> ofGroup = roster.lostOfGroup(role).stream()
                .filter(place -> !here.contains(place.process())) // came back under another name
                .toList();
        List<MemberRecord> lost = !ofGroup.isEmpty()
                ? ofGroup
                : roster.places().stream()
                        .filter(place -> !place.living() && place.role().equals(role))
                        .limit(MOST_NAMED)
                        .toList();
        StringBuilder message = new StringBuilder("expected at least ")
                .append(rules.min())
                .append(rules.min() == 1 ? " member" : " members")
                .append(", but only ")
                .append(names(arrivals.keySet()))
                .append(arrivals.size() == 1 ? " is" : " are")
                .append(" here after ")
                .append(MessageText.seconds(now - openedAt));
        List<String> unheardOf = lost.isEmpty() ? roster.unheardOf(role, rules.expected()) : List.of();
        if (lost.isEmpty()) {
            message.append("; ")
                    .append(unheardOf.isEmpty() ? "others have" : String.join(", ", unheardOf) + " has")
                    .append(" never joined");
        }
        for (MemberRecord place : lost) {
            message.append("; missing: ").append(MessageText.gone(place, now));
        }
        message.append(". Start more members, or let the job go on with fewer (min)");
        List<String> names =
                lost.isEmpty() ? unheardOf : lost.stream().map(MemberRecord::id).toList();
        for (String waiting : arrivals.keySet()) {
            failures.put(waiting, new RefusedException(Kind.TOO_FEW, message.toString(), names));
        }
        arrivals.clear();
        accusers.clear();
        missing = null;
        openedAt = NEVER;
        fewSince = NEVER;
    }
}
