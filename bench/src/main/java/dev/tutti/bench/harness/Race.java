package dev.tutti.bench.harness;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The same work done by our entrant and by others, in turn, under the same conditions.
 *
 * @param what the work, as the rows call it
 * @param thoroughness how many times as many rounds as others it has: for a difference that is smaller than the usual spread
 */
public record Race(String what, Cores cores, Entrant ours, List<Comparison> comparisons, int thoroughness) {
    public Race(String what, Cores cores, Entrant ours, List<Comparison> comparisons) {
        this(what, cores, ours, comparisons, 1);
    }

    public Race {
        comparisons = List.copyOf(comparisons);
        if (comparisons.isEmpty()) {
            throw new IllegalArgumentException("The race '" + what + "' compares with nobody.");
        }
    }

    /** Everybody who takes part, ours first, each once. */
    public Set<Entrant> entrants() {
        Set<Entrant> entrants = new LinkedHashSet<>();
        entrants.add(ours);
        comparisons.forEach(comparison -> entrants.add(comparison.peer()));
        return entrants;
    }

    /** The plan as this race follows it. */
    Plan plan(Plan general) {
        return entrants().stream().allMatch(Entrant::staysAlive) ? general.inShortRounds() : general;
    }

    /** The name of the race for people: the work and the cores it has. */
    public String title() {
        return what + ", " + cores;
    }
}
