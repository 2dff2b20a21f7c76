package dev.tutti.tensor;

import java.util.function.Consumer;

/**
 * The gradient of a large parameter, which is not worth adding to zeros in the vector.
 *
 * <p>During a backward pass a product writes it straight into the vector ({@link WeightGradient}); from other operations the
 * engine may keep it where it was computed, and afterwards it is taken over. Outside of {@link FlatVector#backward} both add to
 * the vector as small gradients do.
 */
final class LargeGradient {
    /** Smaller ones are not worth the extra calls. */
    static final long LEAST = 1 << 16;

    private static final int UNKNOWN = -1;

    private final Range range;
    private final Tensor parameter;
    private final Tensor view;
    private boolean holds = true; // whether the view holds something to be added to
    private int products; // of this pass
    private int usualProducts = UNKNOWN; // of the pass before: all there was, or none and the engine had it all
    private boolean complete;
    private Consumer<Range> whenComplete = ignored -> {};

    LargeGradient(Range range, Tensor parameter, Tensor view) {
        this.range = range;
        this.parameter = parameter;
        this.view = view;
    }

    Range range() {
        return range;
    }

    /**
     * Begins a backward pass whose gradient is added to what the vector holds, or replaces it.
     *
     * @param listener told when the gradient is final, if that is known before the end
     */
    void begin(boolean add, Consumer<Range> listener) {
        holds = add;
        products = 0;
        complete = false;
        whenComplete = listener;
        parameter.dropGradient();
    }

    /** Takes part of a backward pass: the product of a transposed matrix and another one. */
    void addProduct(org.bytedeco.pytorch.Tensor transposed, org.bytedeco.pytorch.Tensor other) {
        requireIncomplete();
        if (holds) {
            view.handle().addmm_(transposed, other);
        } else {
            org.bytedeco.pytorch.global.torch.mm_out(view.handle(), transposed, other);
            holds = true;
        }
        products++;
        if (products == usualProducts) {
            complete = true;
            whenComplete.accept(range);
        }
    }

    /** The engine has computed its part of the gradient, in this pass. */
    void accumulated() {
        if (usualProducts == 0 && products == 0) {
            takeOver();
            complete = true;
            whenComplete.accept(range);
        }
    }

    /** Ends the backward pass: takes over what the engine computed, and learns for the next one. */
    void end() {
        boolean taken = complete && products == 0;
        if (!taken) {
            boolean computed = takeOver();
            usualProducts = computed == (products > 0) ? UNKNOWN : products;
            if (computed) {
                requireIncomplete();
            }
        }
    }

    private boolean takeOver() {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor computed = parameter.gradient();
            if (computed != null && holds) {
                view.add_(computed);
            } else if (computed != null) {
                view.copy_(computed);
            } else if (!holds) {
                view.zero_(); // frozen, or not used in this pass
            }
            holds = true;
            parameter.accumulateInto(view);
            return computed != null;
        }
    }

    /** A gradient that was called final is on its way to others: better no result than a wrong one. */
    private void requireIncomplete() {
        if (complete) {
            throw new IllegalStateException(
                    "the parameter at " + range + " was used more often in this backward pass than"
                            + " in the one before, and its gradient was taken for final: train such a model without overlap");
        }
    }

    void close() {
        view.close();
    }
}
