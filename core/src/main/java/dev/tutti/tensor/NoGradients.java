package dev.tutti.tensor;

import org.bytedeco.pytorch.NoGradGuard;

/** While open, operations of this thread are not recorded for a backward pass: for evaluation, prediction and updates. */
public final class NoGradients implements AutoCloseable {
    private final NoGradGuard guard;

    private NoGradients() {
        guard = new NoGradGuard();
        guard.retainReference(); // the scope around it must not end it
    }

    public static NoGradients begin() {
        Engine.load();
        return new NoGradients();
    }

    @Override
    public void close() {
        guard.deallocate(); // now, not with the scope around it
    }
}
