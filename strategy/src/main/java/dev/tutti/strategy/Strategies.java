package dev.tutti.strategy;

import dev.tutti.strategy.allreduce.AllReduce;
import dev.tutti.strategy.averaging.Averaging;
import dev.tutti.strategy.ps.ParameterServer;

/** All strategies for several members, to be imported statically. */
public final class Strategies {
    private Strategies() {}

    /** Every step, all members sum their gradients: the same as one machine with the whole batch. */
    public static AllReduce allReduce() {
        return new AllReduce();
    }

    /** Members train on their own and average their models every so many steps: little traffic. */
    public static Averaging averaging() {
        return new Averaging();
    }

    /** Servers hold the parameters; workers pull values and push gradients, in lockstep, within a bound, or as they come. */
    public static ParameterServer parameterServer() {
        return new ParameterServer();
    }
}
