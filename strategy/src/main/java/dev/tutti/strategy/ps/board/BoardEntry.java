package dev.tutti.strategy.ps.board;

import dev.tutti.train.replica.PackedNumbers;
import java.util.Arrays;
import java.util.List;

/**
 * What came of one push of a worker, for all workers to count.
 *
 * @param epoch whose data it was
 * @param updates 1, or 0 for a worker that only says something
 * @param samples samples of the push
 * @param lossSum the sum of their losses
 * @param stop whether the worker wants training to end
 * @param interrupted whether it wants that in order to go on later
 * @param reopen whether it wants feeds to be opened anew
 * @param effort what the push took
 * @param chunks the chunks that were used up with it
 * @param metrics what was measured
 */
public record BoardEntry(
        int epoch,
        int updates,
        long samples,
        double lossSum,
        boolean stop,
        boolean interrupted,
        boolean reopen,
        Effort effort,
        List<Integer> chunks,
        long[] metrics) {
    /**
     * What a push took.
     *
     * @param rank of the worker in its group
     * @param busyNanos how long it got data and computed
     * @param dropped how often it came too late for its update before, and was computed again
     */
    public record Effort(int rank, long busyNanos, int dropped) {}

    public BoardEntry {
        chunks = List.copyOf(chunks);
    }

    public BoardEntry metrics(long[] measured) {
        return new BoardEntry(epoch, updates, samples, lossSum, stop, interrupted, reopen, effort, chunks, measured);
    }

    /** The same after the gradients were computed again. */
    public BoardEntry again(double sum, Effort took) {
        return new BoardEntry(epoch, updates, samples, sum, stop, interrupted, reopen, took, chunks, metrics);
    }

    public long[] numbers() {
        return PackedNumbers.pack(
                new long[] {
                    epoch,
                    updates,
                    samples,
                    Double.doubleToRawLongBits(lossSum),
                    bit(stop),
                    bit(interrupted),
                    bit(reopen),
                    effort.rank(),
                    effort.busyNanos(),
                    effort.dropped()
                },
                chunks.stream().mapToLong(Integer::longValue).toArray(),
                metrics);
    }

    private static long bit(boolean value) {
        return value ? 1 : 0;
    }

    public static BoardEntry of(long[] numbers) {
        PackedNumbers rows = PackedNumbers.reader(numbers);
        long[] head = rows.next();
        List<Integer> chunks =
                Arrays.stream(rows.next()).mapToObj(Math::toIntExact).toList();
        return new BoardEntry(
                (int) head[0],
                (int) head[1],
                head[2],
                Double.longBitsToDouble(head[3]),
                head[4] == 1,
                head[5] == 1,
                head[6] == 1,
                new Effort((int) head[7], head[8], (int) head[9]),
                chunks,
                rows.next());
    }
}
