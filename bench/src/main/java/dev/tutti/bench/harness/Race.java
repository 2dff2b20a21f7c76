package dev.tutti.bench.harness;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The same work done by our entrant and by others, in turn, under the same conditions.
 *
 * @param what the work, as the rows call it
 * @param thoroughness how many times as many rounds as others it has: for a difference that is smaller than the usual spread
 * @param slow whether starting its processes takes most of its time: a quick run has one round of it
 */
public record Race(
        String what, Cores cores, Entrant ours, List<Comparison> comparisons, int thoroughness, boolean slow) {
    public Race(String what, Cores cores, Entrant ours, List<Comparison> comparisons) {
        this(what, cores, ours, comparisons, 1, false);
    }

    public Race(String what, Cores cores, Entrant ours, List<Comparison> comparisons, int thoroughness) {
        this(what, cores, ours, comparisons, thoroughness, false);
    }

    /** The same, with one round in a quick run. */
    public Race slowToStart() {
        return new Race(what, cores, ours, comparisons, thoroughness, true);
    }

    public Race {
        comparisons = List.copyOf(comparisons);
        if (comparisons.isEmpty()) {
            throw new IllegalArgumentException("The race '" + what + "' has no contender to compare with.");
        }
    }

    /** All contenders, ours first, each once. */
    public Set<Entrant> entrants() {
        Set<Entrant> entrants = new LinkedHashSet<>();
        entrants.add(ours);
        comparisons.forEach(comparison -> entrants.add(comparison.peer()));
        return entrants;
    }

    /** The plan as this race follows it. */
    Plan plan(Plan general) {
        Plan plan = slow ? general.ofSlowRaces() : general;
        return entrants().stream().allMatch(Entrant::staysAlive) ? plan.inShortRounds() : plan;
    }

    /** The name of the race for people: the work and the cores it has. */
    public String title() {
        return what + ", " + cores;
    }
}
