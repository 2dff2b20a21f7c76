package dev.tutti.plan;

/**
 * What software adds to every message, measured on the loopback device of this machine.
 *
 * @param secondsPerRound from one member's call to the other's, for a short message
 * @param bytesPerSecond the most that a member sends and adds up
 */
public record WireCosts(double secondsPerRound, double bytesPerSecond) {
    /** Of a computer that takes no time. */
    public static final WireCosts NONE = new WireCosts(0, Double.POSITIVE_INFINITY);
}
