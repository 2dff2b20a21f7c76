package dev.tutti.plan;

import dev.tutti.TuttiException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often a node fails.
 *
 * @param perSecond the expected failures of one node in a second
 */
public record FailureRate(double perSecond) {
    /** Nodes never fail. */
    public static final FailureRate NONE = new FailureRate(0);

    private static final Pattern FORM =
            Pattern.compile("([0-9.]+(?:e-?\\d+)?)\\s*(%?)\\s*/\\s*(s|min|h|hour|day|week|month|year)");

    public FailureRate {
        if (!(perSecond >= 0) || Double.isInfinite(perSecond)) {
            throw new TuttiException("failures: expected a rate of 0 or more, received " + perSecond);
        }
    }

    /**
     * Reads a rate such as {@code 1%/min}, of a hundred nodes one in a minute, or {@code 2/year}.
     *
     * @throws TuttiException if the text has another form
     */
    public static FailureRate parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TuttiException(
                    "failures: expected a rate of one node such as 1%/min, 0.1%/day or 2/year, received '" + text
                            + "'");
        }
        double share;
        try {
            share = Double.parseDouble(matcher.group(1)) / (matcher.group(2).isEmpty() ? 1 : 100);
        } catch (NumberFormatException e) {
            throw new TuttiException("failures: '" + matcher.group(1) + "' in '" + text + "' is no number", e);
        }
        double seconds = switch (matcher.group(3)) {
            case "s" -> 1;
            case "min" -> 60;
            case "h", "hour" -> 3600;
            case "day" -> 86_400;
            case "week" -> 7 * 86_400;
            case "month" -> 30 * 86_400;
            default -> 365 * 86_400;
        };
        return new FailureRate(share / seconds);
    }

    public boolean isNone() {
        return perSecond == 0;
    }

    /** The mean time between failures of any of so many nodes; infinite where there are none. */
    public double meanTimeBetween(int nodes) {
        return isNone() ? Double.POSITIVE_INFINITY : 1 / (perSecond * nodes);
    }
}
