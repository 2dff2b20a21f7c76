package dev.tutti.strategy;

import dev.tutti.strategy.allreduce.AllReduce;

/** All strategies for several members, to be imported statically. */
public final class Strategies {
    private Strategies() {}

    /** Every step, all members sum their gradients: the same as one machine with the whole batch. */
    public static AllReduce allReduce() {
        return new AllReduce();
    }
}
