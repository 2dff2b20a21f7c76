package dev.tutti.tensor.vector;

import dev.tutti.array.Range;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Hears of ranges of a vector while a backward pass runs: of single parameters as soon as they are ready, at last of the whole
 * vector. It is called on the thread of the pass; what it throws is thrown by the pass after the engine has ended.
 *
 * @param event what makes a range ready
 * @param told gets the ranges
 */
public record GradientListener(Event event, Consumer<Range> told) {
    /** What makes a range ready. */
    public enum Event {
        /** The gradients of the range are final. Every parameter that learns is told, in the order in which the pass comes to it. */
        FINAL,
        /**
         * The gradients of the range are final, and the pass does not read its values any more. This is known early of large weights
         * of dense layers and of chains of convolutions, and of all else in the end.
         */
        RELEASED
    }

    /** Hears nothing. */
    public static final GradientListener NONE = new GradientListener(Event.RELEASED, range -> {});

    public GradientListener {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(told, "told");
    }

    public static GradientListener whenFinal(Consumer<Range> told) {
        return new GradientListener(Event.FINAL, told);
    }

    public static GradientListener whenReleased(Consumer<Range> told) {
        return new GradientListener(Event.RELEASED, told);
    }
}
