package dev.tutti.train;

import dev.tutti.comm.Team;
import dev.tutti.nn.Model;

/** One member on its own, its operations on as many cores as it may use. */
final class Local implements Strategy {
    @Override
    public Replica replica(Model model, Recipe recipe, Team team, Timing timing) {
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
