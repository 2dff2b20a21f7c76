package dev.tutti.bench.engine;

import dev.tutti.bench.contender.Workload;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Outcome;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.replica.Vote;
import java.util.List;

/** Training steps as the trainer makes them, from arrays of the JVM to updated parameters. */
final class TrainingWorkload implements Workload {
    private static final double LEARNING_RATE = 1e-3;
    private static final Vote MORE = new Vote(true, false, false);

    private final Model model;
    private final Replica replica;
    private final List<Batch> batches;
    private long step;

    TrainingWorkload(
            Layer definition, Input input, TrainingConfig recipe, List<Batch> batches, ComputePrecision precision) {
        this.batches = batches;
        model = Model.of(definition, Model.Options.DEFAULT.seed(recipe.seed()).precision(precision), List.of(input));
        replica = Strategy.local().replica(model, recipe, Team.alone(1), new Timing());
    }

    @Override
    public void step() {
        Batch batch = batches.get((int) (step % batches.size()));
        Outcome outcome = replica.step(new StepPlan(step, LEARNING_RATE), StepInput.of(MORE, batch));
        step++;
        if (!Double.isFinite(outcome.loss())) {
            throw new ArithmeticException("the loss became " + outcome.loss());
        }
    }

    @Override
    public int batch() {
        return batches.get(0).size();
    }

    @Override
    public void close() {
        replica.close();
        model.close();
    }
}
