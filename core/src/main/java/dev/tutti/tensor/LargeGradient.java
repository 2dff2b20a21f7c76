package dev.tutti.tensor;

/**
 * The gradient of a large parameter, which is cheaper to copy into the vector once than to add to zeros there.
 *
 * <p>During a backward pass the engine may keep the gradient where it was computed; afterwards it is taken over, and the
 * parameter accumulates into the vector again as all others do.
 */
record LargeGradient(Range range, Tensor parameter, Tensor view) {
    /** Smaller ones are not worth the extra calls. */
    static final long LEAST = 1 << 16;

    void leaveToTheEngine() {
        parameter.dropGradient();
    }

    void takeOver(boolean add) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor computed = parameter.gradient();
            if (computed != null && add) {
                view.add_(computed);
            } else if (computed != null) {
                view.copy_(computed);
            } else if (!add) {
                view.zero_(); // frozen, or not used in this pass
            }
            parameter.accumulateInto(view);
        }
    }

    void close() {
        view.close();
    }
}
