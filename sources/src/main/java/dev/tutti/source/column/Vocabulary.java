package dev.tutti.source.column;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Words with how often they were seen, in the order of their ids: from 1 on, since 0 stands for what is unknown, missing or
 * padding. Growing keeps the ids there were.
 */
public record Vocabulary(Map<String, Long> counts) {
    public Vocabulary {
        counts = new LinkedHashMap<>(counts);
    }

    /** The most frequent words first; of equally frequent ones the first by name. */
    static Vocabulary of(Map<String, Long> seen, long atLeast, int most) {
        List<Map.Entry<String, Long>> entries = new ArrayList<>(seen.entrySet());
        entries.removeIf(entry -> entry.getValue() < atLeast);
        entries.sort(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()));
        Map<String, Long> kept = new LinkedHashMap<>();
        entries.stream().limit(most).forEach(entry -> kept.put(entry.getKey(), entry.getValue()));
        return new Vocabulary(kept);
    }

    /** This vocabulary with the counts of new data added, and its frequent new words behind the old ones. */
    Vocabulary grown(Map<String, Long> seen, long atLeast, int most) {
        Map<String, Long> all = new LinkedHashMap<>(counts);
        all.replaceAll((word, count) -> count + seen.getOrDefault(word, 0L));
        Map<String, Long> fresh = new HashMap<>(seen);
        fresh.keySet().removeAll(counts.keySet());
        all.putAll(of(fresh, atLeast, Math.max(0, most - counts.size())).counts);
        return new Vocabulary(all);
    }

    public int size() {
        return counts.size();
    }

    public List<String> words() {
        return List.copyOf(counts.keySet());
    }

    /** The ids by word. */
    Map<String, Integer> ids() {
        Map<String, Integer> ids = new HashMap<>();
        counts.keySet().forEach(word -> ids.put(word, ids.size() + 1));
        return ids;
    }
}
