package dev.tutti.bench.harness;

import java.util.Locale;

/**
 * What a row has to reach.
 *
 * @param of whether it speaks of the ratio to the peer or of our own number
 * @param atLeast the least that will do; the only number that will do where it has to be exact
 */
public record RequiredValue(Of of, double atLeast) {
    /** What a target speaks of. */
    public enum Of {
        RATIO,
        EXACT_RATIO,
        OURS
    }

    public static RequiredValue ratio(double atLeast) {
        return new RequiredValue(Of.RATIO, atLeast);
    }

    /** Neither less nor more, to the last bit. */
    public static RequiredValue exactRatio(double number) {
        return new RequiredValue(Of.EXACT_RATIO, number);
    }

    public static RequiredValue ours(double atLeast) {
        return new RequiredValue(Of.OURS, atLeast);
    }

    public boolean met(double ours, double ratio) {
        return switch (of) {
            case RATIO -> ratio >= atLeast;
            case EXACT_RATIO -> ratio == atLeast;
            case OURS -> ours >= atLeast;
        };
    }

    @Override
    public String toString() {
        String number =
                atLeast == Math.rint(atLeast) ? String.format(Locale.ROOT, "%.1f", atLeast) : Double.toString(atLeast);
        return switch (of) {
            case RATIO -> number;
            case EXACT_RATIO -> "exactly " + number;
            case OURS -> "ours " + number;
        };
    }
}
