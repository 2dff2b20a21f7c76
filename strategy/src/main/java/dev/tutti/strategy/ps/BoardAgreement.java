package dev.tutti.strategy.ps;

import dev.tutti.array.NdArray;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.Agreement;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The agreement of workers that do not wait for each other. What is asked between steps is asked in lockstep, as all workers are there
 * then; what was measured in a step goes to the board of the servers, and comes from there with what others have reported meanwhile.
 */
final class BoardAgreement implements Agreement {
    private final Agreement lockstep;
    private Function<long[], List<long[]>> exchange; // null between steps

    BoardAgreement(Agreement lockstep) {
        this.lockstep = lockstep;
    }

    /** During a call numbers are exchanged through the board; null: in lockstep again. */
    void through(Function<long[], List<long[]>> board) {
        exchange = board;
    }

    @Override
    public int members() {
        return lockstep.members();
    }

    @Override
    public boolean isSelf(int rank) {
        return lockstep.isSelf(rank);
    }

    @Override
    public boolean[] any(String what, boolean... mine) {
        return lockstep.any(what, mine);
    }

    @Override
    public String text(String what, Supplier<String> own, int source) {
        return lockstep.text(what, own, source);
    }

    @Override
    public double[][] rows(String what, double... mine) {
        return lockstep.rows(what, mine);
    }

    @Override
    public List<long[]> numbers(String what, long[] mine) {
        return exchange == null ? lockstep.numbers(what, mine) : exchange.apply(mine);
    }

    @Override
    public List<Map<String, NdArray>> arrays(String what, Map<String, NdArray> mine) {
        return lockstep.arrays(what, mine);
    }

    @Override
    public Map<Integer, long[]> collect(String what, long[] mine, int[] lengths) {
        return lockstep.collect(what, mine, lengths);
    }

    @Override
    public List<String> texts(String what, String mine) {
        return lockstep.texts(what, mine);
    }

    @Override
    public void broadcast(String what, Tensor values, int source) {
        lockstep.broadcast(what, values, source);
    }

    @Override
    public void transfer(String what, Tensor values, int from, int to) {
        lockstep.transfer(what, values, from, to);
    }

    @Override
    public void barrier(String what) {
        lockstep.barrier(what);
    }
}
