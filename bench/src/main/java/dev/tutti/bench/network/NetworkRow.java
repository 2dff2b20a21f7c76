package dev.tutti.bench.network;

import java.util.Map;

/**
 * One vector on one kind of link.
 *
 * @param link as in {@code 1Gbit/1ms}
 * @param seconds of a sum, by the way it took; {@code chosen} is what training does
 * @param torchSeconds of PyTorch's Gloo; null where it was not measured
 * @param leastSeconds bytes over bandwidth and rounds times latency of the way that costs least
 */
public record NetworkRow(
        String link,
        int hosts,
        int membersOfEach,
        int bytes,
        Map<String, Double> seconds,
        Double torchSeconds,
        double leastSeconds) {
    /** The way that training takes. */
    public double ours() {
        return seconds.get(SumMember.CHOSEN);
    }
}
