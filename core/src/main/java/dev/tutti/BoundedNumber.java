package dev.tutti;

/**
 * A number that must lie within bounds; the error names the setting and whose it is. Not a number is within no bounds.
 */
public record BoundedNumber(String owner, String name, double value) {
    public BoundedNumber above(double bound) {
        return require(value > bound, "above " + text(bound));
    }

    public BoundedNumber atLeast(double bound) {
        return require(value >= bound, "at least " + text(bound));
    }

    public BoundedNumber below(double bound) {
        return require(value < bound, bound == Double.POSITIVE_INFINITY ? "finite" : "below " + text(bound));
    }

    public BoundedNumber atMost(double bound) {
        return require(value <= bound, "at most " + text(bound));
    }

    private BoundedNumber require(boolean holds, String expected) {
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
