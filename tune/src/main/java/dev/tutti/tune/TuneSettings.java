package dev.tutti.tune;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Definition;
import java.util.Optional;

/**
 * How settings are searched for: the key {@code tune} of a job. Immutable; every method that changes a setting returns a copy.
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class TuneSettings extends Definition {
    /** How the next point is chosen. */
    public enum Search {
        RANDOM,
        TPE;
    }

    /** Which trials go on. */
    public enum Scheduling {
        /** Every trial runs to its end. */
        NONE,
        ASHA,
        HYPERBAND,
        /** Population-based training. */
        PBT;
    }

    private String search = "tpe";
    private String scheduler = "asha";
    private int trials = 12;
    private String metric;
    private int reduction = 3;
    private int grace = 1;
    private int interval = 1;
    private Integer places;
    private int retries = 2;
    private long seed;

    private TuneSettings() {}

    public static TuneSettings defaults() {
        return new TuneSettings();
    }

    @Override
    public void validate() {
        search();
        scheduler();
        atLeast("trials", trials, 1);
        atLeast("reduction", reduction, 2);
        atLeast("grace", grace, 1);
        atLeast("interval", interval, 1);
        atLeast("places", places == null ? 1 : places, 1);
        atLeast("retries", retries, 0);
    }

    private static void atLeast(String key, int value, int least) {
        if (value < least) {
            throw new ConfigException("tune: " + key + ": expected " + least + " or more, received " + value);
        }
    }

    private static <E extends Enum<E>> E named(Class<E> type, String key, String name) {
        for (E each : type.getEnumConstants()) {
            if (each.name().equalsIgnoreCase(name)) {
                return each;
            }
        }
        throw new ConfigException("tune: " + key + ": unknown value '" + name + "': expected one of "
                + java.util.Arrays.stream(type.getEnumConstants())
                        .map(each -> each.name().toLowerCase(java.util.Locale.ROOT))
                        .toList());
    }

    public Search search() {
        return named(Search.class, "search", search);
    }

    public Scheduling scheduler() {
        return named(Scheduling.class, "scheduler", scheduler);
    }

    /** How many points are tried. */
    public int trials() {
        return trials;
    }

    /** What is compared; the first metric of the job, or the loss, unless it is said. */
    public Optional<String> metric() {
        return Optional.ofNullable(metric);
    }

    /** Of so many trials one goes on. */
    public int reduction() {
        return reduction;
    }

    /** Epochs that every trial gets. */
    public int grace() {
        return grace;
    }

    /** Epochs between two exchanges of a population. */
    public int interval() {
        return interval;
    }

    /** Trials at the same time; one for each core unless it is said. */
    public int places() {
        return places == null ? Runtime.getRuntime().availableProcessors() : places;
    }

    /** How often a trial whose process was lost is begun again. */
    public int retries() {
        return retries;
    }

    public long seed() {
        return seed;
    }

    public TuneSettings search(String name) {
        return copy(c -> c.search = name);
    }

    public TuneSettings scheduler(String name) {
        return copy(c -> c.scheduler = name);
    }

    public TuneSettings trials(int count) {
        return copy(c -> c.trials = count);
    }

    public TuneSettings metric(String name) {
        return copy(c -> c.metric = name);
    }

    public TuneSettings reduction(int factor) {
        return copy(c -> c.reduction = factor);
    }

    public TuneSettings grace(int epochs) {
        return copy(c -> c.grace = epochs);
    }

    public TuneSettings interval(int epochs) {
        return copy(c -> c.interval = epochs);
    }

    public TuneSettings places(int count) {
        return copy(c -> c.places = count);
    }

    public TuneSettings retries(int count) {
        return copy(c -> c.retries = count);
    }

    public TuneSettings seed(long value) {
        return copy(c -> c.seed = value);
    }
}
