package dev.tutti.plan.simulation;

import java.util.Map;

/**
 * What happened in a simulation.
 *
 * @param joined members that came, first ones and replacements
 * @param generations groups that were formed
 * @param firstGroupSeconds until all members were together for the first time
 * @param longestPauseSeconds from the end of a group to the next, the longest
 * @param meanPauseSeconds the mean of these
 * @param finishedAtSeconds when the job's steps were done; -1 if they were not within the time
 * @param busyShare of the time in which steps were made that count
 * @param messages to and from the coordinator, by kind
 * @param bytesOut that the coordinator sent
 * @param coordinatorSeconds of computing in the coordinator's code
 * @param coordinatorCores of these for each second of the simulated time
 * @param coordinatorBytes of its memory at the end
 * @param wallSeconds that the simulation took
 */
public record ClusterSimulationResult(
        int nodes,
        double seconds,
        long joined,
        long lost,
        long generations,
        double firstGroupSeconds,
        double longestPauseSeconds,
        double meanPauseSeconds,
        long steps,
        long repeatedSteps,
        double finishedAtSeconds,
        double busyShare,
        long leases,
        Map<String, Long> messages,
        double bytesOut,
        double coordinatorSeconds,
        double coordinatorCores,
        long coordinatorBytes,
        double wallSeconds) {}
