package dev.tutti.tensor;

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

    private final Range range;
    private final Tensor parameter;
    private final Tensor view;
    private boolean holds = true; // whether the view holds something to be added to

    LargeGradient(Range range, Tensor parameter, Tensor view) {
        this.range = range;
        this.parameter = parameter;
        this.view = view;
    }

    Range range() {
        return range;
    }

    /** Begins a backward pass whose gradient is added to what the vector holds, or replaces it. */
    void begin(boolean add) {
        holds = add;
        parameter.dropGradient();
    }

    /** Takes part of a backward pass: the product of a transposed matrix and another one. */
    void addProduct(org.bytedeco.pytorch.Tensor transposed, org.bytedeco.pytorch.Tensor other) {
        if (holds) {
            view.handle().addmm_(transposed, other);
        } else {
            org.bytedeco.pytorch.global.torch.mm_out(view.handle(), transposed, other);
            holds = true;
        }
    }

    /** Ends the backward pass: takes over what the engine computed. */
    void end() {
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
        }
    }

    void close() {
        view.close();
    }
}
