package dev.tutti.train.multitask;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The rows of single tasks in a batch of several. */
public final class TaskBatches {
    private TaskBatches() {}

    /**
     * The rows of one task, or one of several equal parts of them.
     *
     * @param task the place of its label
     * @param part which part, from 0
     * @param parts how many parts there are
     * @return empty where there is no such row
     */
    public static Optional<Batch> rows(Batch batch, int task, int part, int parts) {
        long[] all = TaskSource.present(batch.labels(task));
        long[] places = Arrays.copyOfRange(
                all, (int) ((long) all.length * part / parts), (int) ((long) all.length * (part + 1) / parts));
        if (places.length == 0) {
            return Optional.empty();
        }
        return Optional.of(new Batch(pick(batch.features(), places), pick(batch.labels(), places), places.length));
    }

    /** How many rows of one task there are. */
    public static int count(Batch batch, int task) {
        return TaskSource.present(batch.labels(task)).length;
    }

    private static List<NdArray> pick(List<NdArray> arrays, long[] places) {
        return arrays.stream().map(array -> TaskSource.rows(array, places)).toList();
    }
}
