package dev.tutti.tensor.vector;

import dev.tutti.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The places at which the record of one forward pass is cut, or that of a branch of it, in their order. */
final class ManualBackwards implements AutoCloseable {
    private Deque<ManualBackward> cuts = new ArrayDeque<>(); // the last one first

    /** The last one so far, or null. */
    ManualBackward last() {
        return cuts.peek();
    }

    /** Adds one and returns what goes on behind it. */
    Tensor add(ManualBackward cut) {
        cuts.push(cut);
        return cut.output();
    }

    /** Adds the sum of a tensor and of what a branch makes of its rows; cuts that are added meanwhile are the branch's. */
    Tensor addResidual(Tensor x, UnaryOperator<Tensor> branch) {
        Deque<ManualBackward> outside = cuts;
        ManualBackwards within = new ManualBackwards();
        cuts = within.cuts;
        Tensor rows = ResidualBackward.rows(x);
        Tensor branched;
        try {
            branched = branch.apply(rows);
        } catch (RuntimeException | Error e) {
            within.close();
            throw e;
        } finally {
            cuts = outside;
        }
        return add(new ResidualBackward(x, rows, branched, within, last()));
    }

    /** Takes the backward pass through all of them, from the last to the first, and lets go of each. */
    void backward(boolean add, Consumer<Tensor> written) {
        while (!cuts.isEmpty()) {
            try (ManualBackward cut = cuts.pop()) {
                cut.backward(add, written);
            }
        }
    }

    /** Lets go of all of them. */
    @Override
    public void close() {
        while (!cuts.isEmpty()) {
            cuts.pop().close();
        }
    }
}
