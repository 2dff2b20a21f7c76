package dev.tutti.tune;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** One point of the search space: its values, what it is doing, and what was measured after each of its epochs. */
public final class Trial {
    private final int number;
    private Map<String, JsonNode> values;
    private TrialState state = TrialState.WAITING;
    private final NavigableMap<Integer, Double> measured = new TreeMap<>();
    private int lost;
    private int exchangedAt;
    private Integer source;
    private String problem = "";
    private double seconds;

    Trial(int number, Map<String, JsonNode> values) {
        this.number = number;
        this.values = new LinkedHashMap<>(values);
    }

    /** Counted from 1. */
    public int number() {
        return number;
    }

    public String name() {
        return "trial-" + number;
    }

    /** Its settings by path. */
    public Map<String, JsonNode> values() {
        return values;
    }

    public TrialState state() {
        return state;
    }

    /** The compared value after each epoch. */
    public NavigableMap<Integer, Double> measured() {
        return measured;
    }

    /** Epochs that are done. */
    public int epochs() {
        return measured.isEmpty() ? 0 : measured.lastKey();
    }

    /** What was measured last. */
    public OptionalDouble last() {
        return measured.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(measured.lastEntry().getValue());
    }

    /** How often its process was lost. */
    public int lost() {
        return lost;
    }

    /** The epoch at which it last took part in an exchange of a population; 0 for never. */
    public int exchangedAt() {
        return exchangedAt;
    }

    /** The trial whose parameters it took over at its last exchange; null for none. */
    public Integer source() {
        return source;
    }

    /** Why it failed; empty otherwise. */
    public String problem() {
        return problem;
    }

    /** Time that places have spent on it. */
    public double seconds() {
        return seconds;
    }

    void state(TrialState next) {
        state = next;
    }

    void measure(int epoch, double value) {
        measured.put(epoch, value);
    }

    void lose() {
        lost++;
    }

    void exchange(int epoch, Integer from, Map<String, JsonNode> next) {
        exchangedAt = epoch;
        source = from;
        values = new LinkedHashMap<>(next);
    }

    void fail(String reason) {
        problem = reason;
        state = TrialState.FAILED;
    }

    void spend(double more) {
        seconds += more;
    }
}
