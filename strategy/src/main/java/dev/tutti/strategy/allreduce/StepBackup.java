package dev.tutti.strategy.allreduce;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;

/** Copies of what a step changes, as it was before. */
public final class StepBackup implements AutoCloseable {
    private final List<Tensor> live;
    private final List<Tensor> kept;

    /** @param live stay the caller's, and open for as long as this is */
    public StepBackup(List<Tensor> live) {
        this.live = List.copyOf(live);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            kept = live.stream().map(tensor -> tensor.copy().retain()).toList();
        }
    }

    /** A step begins. */
    public void keep() {
        copy(live, kept);
    }

    /** The step came to nothing. */
    public void restore() {
        copy(kept, live);
    }

    private static void copy(List<Tensor> from, List<Tensor> to) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (int i = 0; i < from.size(); i++) {
                to.get(i).copy_(from.get(i));
            }
        }
    }

    @Override
    public void close() {
        kept.forEach(Tensor::close);
    }
}
