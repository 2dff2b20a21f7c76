package dev.tutti.strategy.averaging;

import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Copies of tensors as they were at the last agreement. */
public final class RoundSnapshot implements AutoCloseable {
    private final List<Tensor> live;
    private final List<Tensor> kept = new ArrayList<>();

    public RoundSnapshot(List<Tensor> live) {
        this.live = List.copyOf(live);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            live.forEach(tensor -> kept.add(tensor.copy().retain()));
        }
    }

    /** All members have agreed. */
    public void keep() {
        copy(live, kept);
    }

    /** What came since the last agreement is forgotten. */
    public void restore() {
        copy(kept, live);
    }

    /** The tensor with a number, as it was. */
    public Tensor get(int number) {
        return kept.get(number);
    }

    /** How many tensors there are. */
    public int size() {
        return kept.size();
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
