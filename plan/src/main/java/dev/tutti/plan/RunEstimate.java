package dev.tutti.plan;

import java.util.Map;
import java.util.Optional;

/**
 * A whole run of a job under one strategy on so many nodes. What is not known, because the number of rows is not, or what never ends, is
 * empty.
 *
 * @param nodes that are paid for
 * @param step in seconds
 * @param efficiency samples a second of each node, compared with those of one node alone
 * @param fits whether every member has enough memory
 * @param seconds to the end of the job, time lost to failures included
 * @param lostSeconds of them: steps repeated, waiting for lost members, checkpoints
 * @param checkpointEverySeconds the best interval, where the loss of a member takes all back to a checkpoint
 */
public record RunEstimate(
        String strategy,
        Map<String, Object> settings,
        int nodes,
        int members,
        boolean exact,
        boolean elastic,
        double step,
        double computeSeconds,
        double wireSeconds,
        double bytesPerStep,
        double messageBytesPerStep,
        double roundsPerStep,
        double samplesPerSecond,
        double efficiency,
        double memoryBytes,
        boolean fits,
        Optional<Double> seconds,
        Optional<Double> nodeHours,
        Optional<Double> lostSeconds,
        Optional<Double> checkpointEverySeconds) {}
