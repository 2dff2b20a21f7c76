package dev.tutti.strategy.allreduce;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.train.Recipe;
import dev.tutti.train.Replica;
import dev.tutti.train.Strategy;
import dev.tutti.train.Timing;

/**
 * Every batch is divided among the members; at every step they sum their gradients and make the same update. The result is that
 * of one machine with the whole batch, but for the order in which floats are added.
 */
public final class AllReduce implements Strategy {
    @Override
    public Replica replica(Model model, Recipe recipe, Team team, Timing timing) {
        return new AllReduceReplica(model, recipe, team, timing);
    }

    @Override
    public String toString() {
        return "allReduce()";
    }
}
