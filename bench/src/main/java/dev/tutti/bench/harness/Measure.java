package dev.tutti.bench.harness;

import java.util.Objects;

/**
 * A number that contenders report.
 *
 * @param key its name in the answer of a contender
 * @param label what the row calls it, or an empty text where the race says it all
 * @param unit as people read it: samples/s, s
 * @param better which way it is good
 */
public record Measure(String key, String label, String unit, Better better) {
    /** The key under which wall time is reported for whole commands and first answers. */
    public static final String WALL_SECONDS = "wall_seconds";

    public Measure {
        Objects.requireNonNull(key, "A measure needs the key of its number.");
        Objects.requireNonNull(better, "A measure needs to know which way is better.");
    }

    public static Measure samplesPerSecond() {
        return new Measure("samples_per_second", "", "samples/s", Better.HIGHER);
    }

    public static Measure wallTime(String label) {
        return new Measure(WALL_SECONDS, label, "s", Better.LOWER);
    }
}
