package dev.tutti.train.replica;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;

/** One member on its own, its operations on as many cores as it may use. */
public final class LocalStrategy implements Strategy {
    @Override
    public boolean trainsTables() {
        return true;
    }

    @Override
    public boolean scalesLosses() {
        return true;
    }

    @Override
    public Replica replica(Model model, TrainingConfig recipe, Team team, Timing timing) {
        return new LocalReplica(model, recipe, team, timing);
    }

    @Override
    public void validateFor(int workers) {
        if (workers > 1) {
            throw new TrainingException("the strategy local trains on one worker, received " + workers
                    + ": choose a strategy for several, such as allReduce");
        }
    }

    @Override
    public String toString() {
        return "local()";
    }
}
