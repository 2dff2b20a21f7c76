package dev.tutti.bench.strategies;

import dev.tutti.bench.harness.MeasurementSummary;

/**
 * What one strategy cost and gave with so many members. Where it failed there is a {@code failure} instead of numbers.
 *
 * @param name for people
 * @param strategy as in a job file
 * @param bytes sent by one member
 * @param seconds of training
 * @param accuracy on the test images
 */
public record StrategyRow(
        String name,
        String strategy,
        int members,
        MeasurementSummary bytes,
        MeasurementSummary seconds,
        MeasurementSummary accuracy,
        String failure) {}
