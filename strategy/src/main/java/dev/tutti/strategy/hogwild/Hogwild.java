package dev.tutti.strategy.hogwild;

import dev.tutti.comm.Team;
import dev.tutti.json.Definition;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.Strategy;

/**
 * The asynchronous agreement between threads of one JVM: each computes the gradients of its own part of a batch and moves the parameters that
 * all share by them, without a lock and without a sum. What an optimizer remembers is each thread's own. The result is another one in every run.
 */
public final class Hogwild extends Definition implements Strategy {
    /** Threads that do not wait for each other come to another result every time. */
    @Override
    public boolean exact() {
        return false;
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        return new HogwildReplica(model, recipe, team, timing);
    }

    @Override
    public String toString() {
        return "hogwild()";
    }
}
