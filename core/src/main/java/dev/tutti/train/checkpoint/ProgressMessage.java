package dev.tutti.train.checkpoint;

import dev.tutti.array.NdArray;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a run stands, as members tell each other and checkpoints keep it: all of its state but the tensors.
 *
 * @param totals the sums of the epoch under way, by name; whole numbers all of them
 */
public record ProgressMessage(Checkpoint.Progress progress, Map<String, long[]> totals) {
    /** The sums, in the form that restores them. */
    Map<String, NdArray> sums() {
        Map<String, NdArray> sums = new LinkedHashMap<>();
        totals.forEach((name, numbers) -> sums.put(name, NdArray.of(numbers, numbers.length)));
        return sums;
    }

    /** How far it is; compared with that of others. */
    public long furthest() {
        return progress.step() + progress.epoch();
    }
}
