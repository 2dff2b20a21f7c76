package dev.tutti.serve.batch;

import dev.tutti.TuttiException;
import java.time.Duration;

/**
 * Limits of dynamic batching.
 *
 * @param maxRows rows of one batch; 64 by default, where the CPU's matrix products are near their best pace
 * @param maxDelay the longest that a request waits for others, under load alone; 2 ms by default. A request that comes alone never waits
 * @param queueRows rows that may wait for a replica; more are refused. 2,048 by default: some tens of batches
 * @param deadline the time a request has unless it asks for less; 30 s by default
 */
public record BatchingSettings(int maxRows, Duration maxDelay, int queueRows, Duration deadline) {
    public static final BatchingSettings DEFAULT =
            new BatchingSettings(64, Duration.ofMillis(2), 2_048, Duration.ofSeconds(30));

    public BatchingSettings {
        if (maxRows < 1 || queueRows < 1) {
            throw new TuttiException(
                    "a batch and a queue have 1 row or more: received " + maxRows + " and " + queueRows);
        }
        if (maxDelay.isNegative() || deadline.isNegative() || deadline.isZero()) {
            throw new TuttiException(
                    "expected a delay of 0 or more and a deadline above 0, received " + maxDelay + " and " + deadline);
        }
    }

    public BatchingSettings maxRows(int rows) {
        return new BatchingSettings(rows, maxDelay, queueRows, deadline);
    }

    public BatchingSettings maxDelay(Duration delay) {
        return new BatchingSettings(maxRows, delay, queueRows, deadline);
    }

    public BatchingSettings queueRows(int rows) {
        return new BatchingSettings(maxRows, maxDelay, rows, deadline);
    }

    public BatchingSettings deadline(Duration limit) {
        return new BatchingSettings(maxRows, maxDelay, queueRows, limit);
    }
}
