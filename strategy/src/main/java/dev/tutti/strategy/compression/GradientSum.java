package dev.tutti.strategy.compression;

import dev.tutti.comm.Collectives;
import dev.tutti.tensor.Tensor;

/**
 * Sums the gradients of all members, exactly or nearly. It belongs to one member and remembers what that one owes the others.
 *
 * <p>Order of calls: {@link #regrouped} whenever the members have met, then {@link #sum} for each step; at the end {@link
 * #close}. A step that was not agreed on comes again with the same number.
 */
public interface GradientSum extends AutoCloseable {
    /** All of it, as it is. */
    GradientSum PLAIN = new GradientSum() {
        @Override
        public void sum(Collectives collectives, Tensor gradients, long step) {
            collectives.allReduce("gradients", gradients);
        }

        @Override
        public boolean isElementwise() {
            return true;
        }
    };

    /**
     * Sums over all members, in place; afterwards the gradients are the same bits on every one of them.
     *
     * @param gradients the model's vector of gradients, whose sum over the members is wanted, but for frozen parameters; those of any
     *     parameters where it is {@link #isElementwise elementwise}
     * @param step the number of the step: a later number shows that the step before was agreed on
     */
    void sum(Collectives collectives, Tensor gradients, long step);

    /** Whether each element is summed by itself and nothing is remembered, so that the caller may leave out frozen parameters. */
    default boolean isElementwise() {
        return false;
    }

    /** The members have met; there may be new ones among them, who remember nothing. */
    default void regrouped() {}

    @Override
    default void close() {}
}
