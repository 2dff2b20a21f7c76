package dev.tutti.bench.harness;

import java.util.Locale;

/**
 * What a row has to reach.
 *
 * @param of whether it speaks of the ratio to the peer or of our own number
 * @param atLeast the least that will do
 */
public record Target(Of of, double atLeast) {
    /** What a target speaks of. */
    public enum Of {
        RATIO,
        OURS
    }

    public static Target ratio(double atLeast) {
        return new Target(Of.RATIO, atLeast);
    }

    public static Target ours(double atLeast) {
        return new Target(Of.OURS, atLeast);
    }

    public boolean met(double ours, double ratio) {
        return (of == Of.RATIO ? ratio : ours) >= atLeast;
    }

    @Override
    public String toString() {
        String number =
                atLeast == Math.rint(atLeast) ? String.format(Locale.ROOT, "%.1f", atLeast) : Double.toString(atLeast);
        return of == Of.RATIO ? number : "ours " + number;
    }
}
