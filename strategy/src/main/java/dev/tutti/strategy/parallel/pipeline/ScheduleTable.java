package dev.tutti.strategy.parallel.pipeline;

import java.util.ArrayList;
import java.util.List;

/**
 * What every stage of a pipeline does in one step, in order. Chunk {@code c} of stage {@code s} is the part {@code c * stages + s} of the
 * model.
 *
 * @param chunks chunks of layers on every stage
 * @param rows the slots of each stage
 */
public record ScheduleTable(int stages, int chunks, int microBatches, List<List<ScheduleSlot>> rows) {
    public ScheduleTable {
        rows = rows.stream().map(List::copyOf).toList();
    }

    /**
     * Writes the table of a schedule.
     *
     * @param chunks of every stage; one unless the schedule is interleaved
     */
    public static ScheduleTable of(PipelineSchedule schedule, int stages, int chunks, int microBatches) {
        List<List<ScheduleSlot>> rows = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            rows.add(
                    switch (schedule) {
                        case GPIPE -> allForwardThenAllBackward(chunks, microBatches);
                        case ONE_F_ONE_B -> oneForwardOneBackward(stages - 1 - stage, microBatches);
                        case INTERLEAVED -> interleaved(stage, stages, chunks, microBatches);
                    });
        }
        return new ScheduleTable(stages, chunks, microBatches, rows);
    }

    public List<ScheduleSlot> of(int stage) {
        return rows.get(stage);
    }

    private static List<ScheduleSlot> allForwardThenAllBackward(int chunks, int microBatches) {
        List<ScheduleSlot> row = new ArrayList<>();
        for (int chunk = 0; chunk < chunks; chunk++) {
            for (int m = 0; m < microBatches; m++) {
                row.add(ScheduleSlot.forward(chunk, m));
            }
        }
        for (int chunk = chunks - 1; chunk >= 0; chunk--) {
            for (int m = 0; m < microBatches; m++) {
                row.add(ScheduleSlot.backward(chunk, m));
            }
        }
        return row;
    }

    private static List<ScheduleSlot> oneForwardOneBackward(int stagesBehind, int microBatches) {
        int ahead = Math.min(stagesBehind, microBatches);
        List<ScheduleSlot> row = new ArrayList<>();
        for (int m = 0; m < microBatches + ahead; m++) {
            if (m < microBatches) {
                row.add(ScheduleSlot.forward(0, m));
            }
            if (m >= ahead) {
                row.add(ScheduleSlot.backward(0, m - ahead));
            }
        }
        return row;
    }

    /**
     * Rounds of as many micro-batches as there are stages go through the chunks one after the other (Narayanan and others, 2021). A last
     * round that is not full is one whose missing micro-batches are left out.
     */
    private static List<ScheduleSlot> interleaved(int stage, int stages, int chunks, int microBatches) {
        int rounds = (microBatches + stages - 1) / stages;
        int total = rounds * stages * chunks;
        int ahead = Math.min((stages - 1 - stage) * 2 + (chunks - 1) * stages, total);
        List<ScheduleSlot> row = new ArrayList<>();
        for (int i = 0; i < total + ahead; i++) {
            if (i < total) {
                row.add(ScheduleSlot.forward(i / stages % chunks, microBatch(i, stages, chunks)));
            }
            if (i >= ahead) {
                int k = i - ahead;
                row.add(ScheduleSlot.backward(chunks - 1 - k / stages % chunks, microBatch(k, stages, chunks)));
            }
        }
        row.removeIf(slot -> slot.microBatch() >= microBatches);
        return row;
    }

    private static int microBatch(int index, int stages, int chunks) {
        return index / (stages * chunks) * stages + index % stages;
    }

    /** The most passes of a stage that went forward and not yet backward: how many activations it holds at once. */
    public int mostAlive(int stage) {
        int alive = 0;
        int most = 0;
        for (ScheduleSlot slot : rows.get(stage)) {
            alive += slot.backward() ? -1 : 1;
            most = Math.max(most, alive);
        }
        return most;
    }
}
