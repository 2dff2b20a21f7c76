package dev.tutti.plan;

import java.util.Map;

/**
 * A step of a job under one strategy.
 *
 * @param strategy its name for people
 * @param settings its line in a job file
 * @param exact whether the result is that of one machine with the whole batch
 * @param elastic whether the loss of a member costs the step under way only; otherwise all go back to a checkpoint
 * @param members that take part, servers included
 * @param rows of a step
 * @param seconds of a step of all members together
 * @param computeSeconds of a member's passes in a step
 * @param exchanged by a member in a step, whether its time is hidden behind computing or not
 * @param memoryBytes of the member that needs most: parameters, gradients, optimizer, activations
 */
public record StepEstimate(
        String strategy,
        Map<String, Object> settings,
        boolean exact,
        boolean elastic,
        int members,
        double rows,
        double seconds,
        double computeSeconds,
        Exchanged exchanged,
        double memoryBytes) {
    public double samplesPerSecond() {
        return rows / seconds;
    }
}
