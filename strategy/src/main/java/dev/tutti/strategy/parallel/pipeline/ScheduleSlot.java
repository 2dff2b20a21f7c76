package dev.tutti.strategy.parallel.pipeline;

/**
 * One thing that a stage does.
 *
 * @param backward whether the micro-batch runs backward
 * @param chunk the chunk of the stage, counted on this stage from 0
 * @param microBatch the number of the micro-batch
 */
public record ScheduleSlot(boolean backward, int chunk, int microBatch) {
    static ScheduleSlot forward(int chunk, int microBatch) {
        return new ScheduleSlot(false, chunk, microBatch);
    }

    static ScheduleSlot backward(int chunk, int microBatch) {
        return new ScheduleSlot(true, chunk, microBatch);
    }

    /** {@code F3} or {@code B3}, and {@code F3.1} on the second chunk. */
    @Override
    public String toString() {
        return (backward ? "B" : "F") + microBatch + (chunk == 0 ? "" : "." + chunk);
    }
}
