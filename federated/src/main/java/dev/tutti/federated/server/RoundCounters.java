package dev.tutti.federated.server;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How many answers met which fate. */
public final class RoundCounters {
    private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);

    void count(Verdict verdict) {
        counts.merge(verdict, 1, Integer::sum);
    }

    public int of(Verdict verdict) {
        return counts.getOrDefault(verdict, 0);
    }

    /** By name, without those that did not occur. */
    public Map<String, Integer> byName() {
        Map<String, Integer> named = new TreeMap<>();
        counts.forEach((verdict, count) -> named.put(verdict.name().toLowerCase(Locale.ROOT), count));
        return named;
    }
}
