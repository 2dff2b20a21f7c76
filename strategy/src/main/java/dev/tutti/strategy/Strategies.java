package dev.tutti.strategy;

import dev.tutti.strategy.allreduce.AllReduce;
import dev.tutti.strategy.averaging.Averaging;
import dev.tutti.strategy.hogwild.Hogwild;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.strategy.multitask.PlacedTasks;
import dev.tutti.strategy.multitask.TaskGradients;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.ps.ParameterServer;
import dev.tutti.train.multitask.GradientCombination;

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

    /** Threads of one JVM move the parameters they share without waiting for each other. */
    public static Hogwild hogwild() {
        return new Hogwild();
    }

    /** Gradients of several tasks are summed task by task and combined so that none is worked against. */
    public static TaskGradients taskGradients(GradientCombination method) {
        return TaskGradients.by(method);
    }

    /** Each member works on some of several tasks; layers that tasks share are averaged every so many steps, or held by servers. */
    public static PlacedTasks placedTasks() {
        return new PlacedTasks();
    }

    /** Servers hold the parameters; workers pull values and push gradients, in lockstep, within a bound, or as they come. */
    public static ParameterServer parameterServer() {
        return new ParameterServer();
    }

    /** Rounds of map, shuffle and reduce over parts of the data, on threads or as Spark jobs: a round in each epoch. */
    public static MapReduce mapReduce() {
        return new MapReduce();
    }

    /** Members hold parts of the model: stages of layers, slices of layers, and copies of both that share every batch. */
    public static Parallel parallel() {
        return new Parallel();
    }
}
