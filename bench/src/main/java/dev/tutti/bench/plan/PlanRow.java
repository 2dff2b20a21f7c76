package dev.tutti.bench.plan;

import java.util.Map;

/**
 * One strategy on some hosts and one kind of link.
 *
 * @param predictedSeconds of a batch of all members together
 * @param measuredSeconds the same, measured
 * @param recommended whether the planner would take it among those of the same hosts and links
 */
public record PlanRow(
        String link,
        int hosts,
        String strategy,
        Map<String, Object> settings,
        double predictedSeconds,
        double measuredSeconds,
        boolean recommended) {
    /** How far the prediction is off, as a share of what was measured. */
    public double error() {
        return Math.abs(predictedSeconds - measuredSeconds) / measuredSeconds;
    }
}
