package dev.tutti.tensor.vector;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Tensor;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A sum of what goes past a branch and what comes out of it, so that the record can be cut within the branch as well: there all
 * that comes behind depends on what comes before through the branch alone.
 *
 * <p>The branch sees rows: all axes but the last are one.
 */
final class ResidualBackward extends ManualBackward {
    private final Tensor rows;
    private final Tensor branched;
    private final ManualBackwards within;
    private final Tensor output;

    /**
     * @param rows where the branch has begun
     * @param branched what came out of it
     * @param within the cuts in the branch
     */
    ResidualBackward(Tensor x, Tensor rows, Tensor branched, ManualBackwards within, ManualBackward before) {
        super(x, before);
        this.rows = rows;
        this.branched = branched;
        this.within = within;
        try (NoGradients off = NoGradients.begin()) {
            output = rows.add(branched).view(x.shape().toArray());
        }
        output.requiresGradient(true);
    }

    /** What a branch begins with: the values of a tensor as rows. */
    static Tensor rows(Tensor x) {
        try (NoGradients off = NoGradients.begin()) {
            return x.detach()
                    .reshape(-1, x.shape().dim(-1))
                    .requiresGradient(x.handle().requires_grad());
        }
    }

    @Override
    Tensor output() {
        return output;
    }

    @Override
    boolean leavesGradient() {
        return true;
    }

    @Override
    void backward(boolean add, Consumer<Tensor> written) {
        Optional<Tensor> gradient = output.gradient();
        if (gradient.isEmpty()) {
            return; // the pass did not come here
        }
        Tensor above;
        try (NoGradients off = NoGradients.begin()) {
            above = gradient.get().reshape(rows.shape().toArray());
        }
        Tensor toBranch = above.type() == branched.type() ? above : typed(above, branched);
        ManualBackward last = within.last();
        if (last != null && last.output() == branched && last.leavesGradient()) {
            branched.accumulateInto(toBranch); // nothing in between for the engine to do
        } else {
            branched.backward(toBranch);
        }
        within.backward(add, written);
        if (!input().handle().requires_grad()) {
            return;
        }
        Tensor below;
        try (NoGradients off = NoGradients.begin()) {
            below = rows.gradient()
                    .map(above::add)
                    .orElse(above)
                    .to(input().type())
                    .view(input().shape().toArray());
        }
        passOn(below);
    }

    private static Tensor typed(Tensor gradient, Tensor like) {
        try (NoGradients off = NoGradients.begin()) {
            return gradient.to(like.type());
        }
    }

    @Override
    public void close() {
        within.close();
    }
}
