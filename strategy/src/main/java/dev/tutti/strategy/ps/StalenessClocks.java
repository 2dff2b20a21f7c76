package dev.tutti.strategy.ps;

import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import java.util.Arrays;

/**
 * How many pushes each worker has made in the round under way. A worker may begin its next batch if it is at most so many clocks ahead
 * of the slowest. They begin anew with every round and every group of workers.
 */
final class StalenessClocks {
    /** The clock of a worker that has no more data: it holds no other back. */
    static final long DONE = Long.MAX_VALUE;

    private long generation = -1;
    private int round = -1;
    private long[] clocks = {};

    /** A worker has pushed; what is of an earlier group or round is ignored. */
    void advance(WorkerClock turn) {
        begin(turn);
        if (isPresent(turn)) {
            clocks[turn.rank()] = Math.max(clocks[turn.rank()], turn.clock());
        }
    }

    /** Whether a worker at its clock may go on; one of an earlier group or round may, as nothing waits for it any more. */
    boolean mayGoOn(WorkerClock turn, long staleness) {
        begin(turn);
        return !isPresent(turn) || turn.clock() == DONE || turn.clock() - slowest() <= staleness;
    }

    /** Whether all workers are done with a round, or it is over already. */
    boolean allDone(WorkerClock turn) {
        begin(turn);
        return !isPresent(turn) || slowest() == DONE;
    }

    /** Workers of the round that may push again. */
    int active() {
        return (int) Arrays.stream(clocks).filter(clock -> clock != DONE).count();
    }

    private long slowest() {
        return Arrays.stream(clocks).min().orElse(DONE);
    }

    private boolean isPresent(WorkerClock turn) {
        return turn.generation() == generation && turn.round() == round;
    }

    private void begin(WorkerClock turn) {
        boolean later = turn.generation() > generation || turn.generation() == generation && turn.round() > round;
        if (later) {
            generation = turn.generation();
            round = turn.round();
            clocks = new long[turn.workers()];
        }
    }

    /** All of it as numbers, for a copy on another server. */
    long[] numbers() {
        long[] all = new long[clocks.length + 2];
        all[0] = generation;
        all[1] = round;
        System.arraycopy(clocks, 0, all, 2, clocks.length);
        return all;
    }

    void restore(long[] numbers) {
        generation = numbers[0];
        round = (int) numbers[1];
        clocks = Arrays.copyOfRange(numbers, 2, numbers.length);
    }
}
