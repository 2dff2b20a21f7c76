package dev.tutti.cluster.coordinator;

import dev.tutti.cluster.coordinator.RefusedException.Kind;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.comm.Holding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which members hold which things, and under which term.
 *
 * <p>The first holder is the one that decides, the others are its backups. The term of a thing rises whenever another member
 * becomes the first, and never falls; so one that was the first before and does not know yet is recognised by its term. A member
 * that is lost holds nothing any more, and where it was the first the next holder is.
 */
final class OwnershipTable implements JournaledState {
    private static final int MOST = 100_000;
    private static final int MOST_HOLDERS = 100;

    private final Map<String, Holding> things = new TreeMap<>();

    /** Says whether a member gets a thing that no other one holds; empty if it has it already. */
    Optional<Fact.Owned> claim(String thing, String member) {
        TextLimits.requireName("a thing", thing);
        Holding now = things.get(thing);
        if (now == null && things.size() >= MOST) {
            throw RefusedException.contradiction("there are " + MOST + " things already");
        }
        if (now != null && now.isFirst(member)) {
            return Optional.empty();
        }
        if (now != null && !now.holders().isEmpty()) {
            throw held(now, member + " cannot claim it");
        }
        return Optional.of(new Fact.Owned(thing, now == null ? 1 : now.term() + 1, List.of(member)));
    }

    /**
     * Says whether the holders of a thing change. Only the first holder may say so, under the present term; if it names another
     * one first, or none, the term rises.
     */
    Optional<Fact.Owned> assign(String thing, long term, List<String> holders, String member, Roster roster) {
        Holding now = things.get(thing);
        if (now == null) {
            throw RefusedException.contradiction("no member holds '" + thing + "': claim it first");
        }
        List<String> wanted = List.copyOf(new LinkedHashSet<>(holders));
        if (now.holders().equals(wanted) && (term == now.term() || term + 1 == now.term())) {
            return Optional.empty(); // said again because the answer was lost
        }
        if (term != now.term() || !now.isFirst(member)) {
            throw held(now, member + " does not hold it under term " + term);
        }
        if (wanted.size() > MOST_HOLDERS) {
            throw RefusedException.contradiction(
                    "'" + thing + "': expected at most " + MOST_HOLDERS + " holders, received " + wanted.size());
        }
        wanted.forEach(roster::living);
        boolean sameFirst = !wanted.isEmpty() && now.isFirst(wanted.get(0));
        return Optional.of(new Fact.Owned(thing, sameFirst ? term : term + 1, wanted));
    }

    private static RefusedException held(Holding now, String what) {
        return new RefusedException(
                Kind.FENCED,
                "'" + now.thing() + "' is held by " + now.holders() + " under term " + now.term() + ": " + what,
                now.holders());
    }

    /** What follows for its things when a member is lost. */
    List<Fact.Owned> without(String member) {
        List<Fact.Owned> facts = new ArrayList<>();
        for (Holding now : things.values()) {
            if (now.holders().contains(member)) {
                List<String> left =
                        now.holders().stream().filter(id -> !id.equals(member)).toList();
                facts.add(new Fact.Owned(now.thing(), now.isFirst(member) ? now.term() + 1 : now.term(), left));
            }
        }
        return facts;
    }

    Optional<Holding> of(String thing) {
        return Optional.ofNullable(things.get(thing));
    }

    /** All things whose names begin so. */
    List<Holding> all(String prefix) {
        return things.values().stream()
                .filter(holding -> holding.thing().startsWith(prefix))
                .toList();
    }

    @Override
    public void enter(Fact fact, long at) {
        if (fact instanceof Fact.Owned owned) {
            things.put(owned.thing(), new Holding(owned.thing(), owned.term(), owned.holders()));
        }
    }

    @Override
    public List<Journal.Entry> summary(long now) {
        return things.values().stream()
                .map(holding -> new Fact.Owned(holding.thing(), holding.term(), holding.holders()))
                .map(fact -> new Journal.Entry(now, List.of(fact)))
                .toList();
    }

    @Override
    public String toString() {
        return things.values().toString();
    }
}
