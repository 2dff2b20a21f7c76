package dev.tutti.estimator;

import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.util.Optional;

/**
 * Follows a training.
 *
 * <p>Order of calls: {@link #begin} once, {@link #afterRun} after each step, {@link #end} once, also when training failed.
 */
public interface TrainingHook {
    default void begin(Run run) {}

    /** Called after each step; {@link Run#stop} in it ends the training. */
    default void afterRun(Run run) {}

    default void end(Run run) {}

    /** The hook as the training loop calls it. */
    default Callback callback() {
        TrainingHook hook = this;
        return new Callback() {
            @Override
            public void begin(Run run) {
                hook.begin(run);
            }

            @Override
            public void step(Run run) {
                hook.afterRun(run);
            }

            @Override
            public void end(Run run, Optional<Throwable> failure) {
                hook.end(run);
            }

            @Override
            public String name() {
                return hook.getClass().getSimpleName() + "@" + System.identityHashCode(hook);
            }
        };
    }
}
