package dev.tutti.optim;

import dev.tutti.TuttiException;

/**
 * A number that must lie within bounds; the error names the setting and whose it is. Not a number is within no bounds.
 */
record Setting(String owner, String name, double value) {
    Setting above(double bound) {
        return require(value > bound, "above " + text(bound));
    }

    Setting atLeast(double bound) {
        return require(value >= bound, "at least " + text(bound));
    }

    Setting below(double bound) {
        return require(value < bound, bound == Double.POSITIVE_INFINITY ? "finite" : "below " + text(bound));
    }

    Setting atMost(double bound) {
        return require(value <= bound, "at most " + text(bound));
    }

    private Setting require(boolean holds, String expected) {
        if (!holds) {
            throw new TuttiException(owner + ": " + name + " must be " + expected + ", received " + text(value));
        }
        return this;
    }

    private static String text(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? Long.toString((long) number)
                : Double.toString(number);
    }
}
