package dev.tutti.optim;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An optimizer at work on its target in parts that may run side by side: the same bits as the undivided {@link Update}, and
 * the same state.
 *
 * <p>Order of calls for each step: {@link #begin}, then {@link #apply} once for every part, each on any thread. The state is
 * that of the whole, so it can be saved by a divided update and restored by an undivided one, or by one of other parts.
 */
public final class PartedUpdate implements AutoCloseable {
    private final List<Range> ranges;
    private final List<Update> updates = new ArrayList<>();
    private final Map<String, Tensor> state = new LinkedHashMap<>();
    private final List<Tensor> counters = new ArrayList<>();
    private final boolean divided;
    private boolean counted = true;

    private PartedUpdate(Optimizer optimizer, Target whole, List<Range> parts) {
        Update first = optimizer.bind(whole.part(parts.get(0)));
        divided = parts.size() > 1 && first instanceof VectorUpdate;
        if (parts.size() > 1 && !divided) { // state of a kind that we cannot lay out: the only part is the whole
            first.close();
            first = optimizer.bind(whole);
        }
        updates.add(first);
        ranges = divided ? List.copyOf(parts) : List.of(whole.range());
        ranges.stream().skip(1).forEach(range -> updates.add(optimizer.bind(whole.part(range))));
        if (divided) {
            join(whole);
        } else {
            state.putAll(first.state());
        }
    }

    /**
     * Puts the optimizer to work on parts of a target. An optimizer whose state cannot be laid out in parts does all of it in one.
     *
     * @param parts such as {@link Target#parts}, at least one; together they are the target's range
     */
    public static PartedUpdate of(Optimizer optimizer, Target whole, List<Range> parts) {
        return new PartedUpdate(optimizer, whole, parts);
    }

    /** Lets the state of the parts live in that of the whole. */
    private void join(Target whole) {
        updates.get(0).state().forEach((name, tensor) -> {
            try (Scope scope = Scope.open()) {
                if (tensor.rank() == 0) {
                    Tensor counter = tensor.copy().retain();
                    updates.forEach(update -> ((VectorUpdate) update).followCounter(counter));
                    counters.add(counter);
                    state.put(name, counter);
                    return;
                }
                Tensor all = Tensor.zeros(Shape.of(whole.range().length()), tensor.type(), tensor.device())
                        .retain();
                for (int part = 0; part < updates.size(); part++) {
                    Range range = ranges.get(part);
                    updates.get(part)
                            .state()
                            .get(name)
                            .liveIn(all.narrow(0, range.from() - whole.range().from(), range.length()));
                }
                state.put(name, all);
            }
        });
    }

    public int parts() {
        return ranges.size();
    }

    /** The stretches of the vector that the parts update, in their order. */
    public List<Range> ranges() {
        return ranges;
    }

    /** The stretch of the vector that a part updates. */
    public Range range(int part) {
        return ranges.get(part);
    }

    /** A step begins. */
    public synchronized void begin() {
        counted = false;
    }

    /** The first part to be moved counts the step for all. */
    private synchronized void count() {
        if (!counted) {
            counted = true;
            try (Scope scope = Scope.open()) {
                counters.forEach(counter -> counter.add_(1));
            }
        }
    }

    /** Moves the values of a part by their gradients, which are used up. */
    public void apply(int part, double learningRate) {
        count();
        updates.get(part).apply(learningRate);
    }

    /** The state of the whole, by name; as {@link Update#state}. */
    public Map<String, Tensor> state() {
        return Collections.unmodifiableMap(state);
    }

    /** Frees the state. Closing twice does nothing. */
    @Override
    public void close() {
        updates.forEach(Update::close);
        if (divided) {
            state.values().forEach(Tensor::close);
        }
    }
}
