package dev.tutti.plan;

import dev.tutti.TuttiException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The network between nodes: every node has one link, which carries as much in each direction.
 *
 * @param bytesPerSecond of a link in one direction
 * @param latencySeconds from one node to another, one way
 */
public record NetworkSpec(double bytesPerSecond, double latencySeconds) {
    private static final Pattern FORM =
            Pattern.compile("([0-9.]+)\\s*([KMGT])bit(?:/s)?\\s*/\\s*([0-9.]+)\\s*(us|ms|s)", Pattern.CASE_INSENSITIVE);

    public NetworkSpec {
        if (!(bytesPerSecond > 0) || !(latencySeconds >= 0)) {
            throw new TuttiException(
                    "network: expected more than 0 bytes a second and a latency of 0 or more, received "
                            + bytesPerSecond + " and " + latencySeconds);
        }
    }

    /**
     * Reads a network such as {@code 10Gbit/0.1ms}.
     *
     * @throws TuttiException if the text has another form
     */
    public static NetworkSpec parse(String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw new TuttiException(
                    "network: expected bandwidth and latency such as 10Gbit/0.1ms, received '" + text + "'");
        }
        double bits = number(matcher.group(1), text)
                * switch (matcher.group(2).toUpperCase(Locale.ROOT)) {
                    case "K" -> 1e3;
                    case "M" -> 1e6;
                    case "G" -> 1e9;
                    default -> 1e12;
                };
        double latency = number(matcher.group(3), text)
                * switch (matcher.group(4).toLowerCase(Locale.ROOT)) {
                    case "us" -> 1e-6;
                    case "ms" -> 1e-3;
                    default -> 1;
                };
        return new NetworkSpec(bits / 8, latency);
    }

    private static double number(String digits, String text) {
        try {
            return Double.parseDouble(digits);
        } catch (NumberFormatException e) {
            throw new TuttiException("network: '" + digits + "' in '" + text + "' is no number", e);
        }
    }

    @Override
    public String toString() {
        double megabits = bytesPerSecond * 8 / 1e6;
        String bandwidth = megabits >= 1000
                ? String.format(Locale.ROOT, "%.4gGbit", megabits / 1000)
                : String.format(Locale.ROOT, "%.4gMbit", megabits);
        return bandwidth.replaceAll("(\\.\\d*?)0+(?=[GM])", "$1").replaceAll("\\.(?=[GM])", "") + "/"
                + String.format(Locale.ROOT, "%.3f", latencySeconds * 1000).replaceAll("\\.?0+$", "") + "ms";
    }
}
