package dev.tutti.serve.batch;

/**
 * Decides how long a replica waits for more rows. The delay follows the load: while requests come one at a time it is zero; when
 * several are under way at once it is a part of the time that a batch takes to compute, up to the limit.
 *
 * <p>Guarded by the lock of its {@link DynamicBatcher}.
 */
final class BatchDelay {
    private static final double SMOOTHING = 0.1;

    /** Below that many requests at once waiting gains less than it costs. */
    private static final double CROWD = 2;

    /** Waiting longer than this part of a batch's own time costs more latency than a fuller batch saves. */
    private static final double PART = 0.25;

    private final long limitNanos;
    private final int maxRows;
    private double outstanding;
    private double batchNanos;

    BatchDelay(BatchingSettings settings) {
        limitNanos = settings.maxDelay().toNanos();
        maxRows = settings.maxRows();
    }

    /** Notes how many rows were under way, waiting or computing, when a batch was taken. */
    void taken(int rowsUnderWay) {
        outstanding += SMOOTHING * (rowsUnderWay - outstanding);
    }

    void computed(long nanos) {
        batchNanos += SMOOTHING * (nanos - batchNanos);
    }

    /** How long to wait from the arrival of the oldest request on. */
    long nanos() {
        return outstanding < CROWD ? 0 : Math.min(limitNanos, (long) (PART * batchNanos));
    }

    /** As many rows as can be expected: waiting ends when they are there. */
    int target() {
        return Math.max(1, Math.min(maxRows, (int) outstanding));
    }

    /** The estimated time until a queue of so many rows is computed by so many replicas. */
    double secondsFor(int rows, int replicas) {
        double batches = Math.ceil((double) rows / maxRows);
        return batches * batchNanos / 1e9 / replicas;
    }
}
