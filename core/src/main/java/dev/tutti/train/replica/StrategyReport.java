package dev.tutti.train.replica;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a strategy tells of a run that is over, as one member knows it.
 *
 * @param text for people, with line ends; empty where there is nothing to tell
 * @param values the same for programs, by name
 */
public record StrategyReport(String text, Map<String, Object> values) {
    /** Nothing to tell. */
    public static final StrategyReport NONE = new StrategyReport("", Map.of());

    public StrategyReport {
        values = new LinkedHashMap<>(values);
    }
}
