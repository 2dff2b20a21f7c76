package dev.tutti.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the link of a host carries.
 *
 * @param megabits a second in each direction; 0: as much as the machine can
 * @param delayMillis of what the host sends
 * @param lossPercent of the packets that the host sends
 * @param reorderPercent of the packets that overtake those before them; needs a delay
 */
public record LinkShape(double megabits, double delayMillis, double lossPercent, double reorderPercent) {
    private static final int BURST_BYTES = 128 * 1024;

    public LinkShape {
        if (megabits < 0 || delayMillis < 0 || lossPercent < 0 || reorderPercent < 0) {
            throw new IllegalArgumentException("expected a link of numbers of 0 or more, received " + megabits
                    + " Mbit/s, " + delayMillis + " ms, " + lossPercent + "% and " + reorderPercent + "%");
        }
        if (reorderPercent > 0 && delayMillis == 0) {
            throw new IllegalArgumentException("packets can overtake others only where there is a delay");
        }
    }

    /** A bandwidth alone. */
    public static LinkShape megabits(double perSecond) {
        return new LinkShape(perSecond, 0, 0, 0);
    }

    public LinkShape delay(double millis) {
        return new LinkShape(megabits, millis, lossPercent, reorderPercent);
    }

    public LinkShape loss(double percent) {
        return new LinkShape(megabits, delayMillis, percent, reorderPercent);
    }

    public LinkShape reorder(double percent) {
        return new LinkShape(megabits, delayMillis, lossPercent, percent);
    }

    /** Whether the kernel must have netem. */
    boolean needsNetem() {
        return delayMillis > 0 || lossPercent > 0;
    }

    /** The words of {@code tc} for what leaves a device. */
    List<String> discipline() {
        List<String> words = new ArrayList<>();
        if (needsNetem()) {
            words.add("netem");
            if (delayMillis > 0) {
                words.addAll(List.of("delay", number(delayMillis) + "ms"));
            }
            if (lossPercent > 0) {
                words.addAll(List.of("loss", number(lossPercent) + "%"));
            }
            if (reorderPercent > 0) {
                words.addAll(List.of("reorder", number(reorderPercent) + "%"));
            }
            if (megabits > 0) {
                words.addAll(List.of("rate", number(megabits) + "mbit"));
            }
        } else {
            words.addAll(bandwidth());
        }
        return words;
    }

    /** The words of {@code tc} for the bandwidth alone. */
    List<String> bandwidth() {
        return List.of(
                "tbf", "rate", number(megabits) + "mbit", "burst", String.valueOf(BURST_BYTES), "latency", "200ms");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
