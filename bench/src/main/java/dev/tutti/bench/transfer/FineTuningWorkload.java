package dev.tutti.bench.transfer;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.optim.Optimizers.adamW;

import dev.tutti.bench.contender.Workload;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
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
import java.util.function.Consumer;

/** Steps of fine-tuning, from arrays of the JVM to updated parameters. */
final class FineTuningWorkload implements Workload {
    private static final double LEARNING_RATE = 2e-5;
    private static final Vote MORE = new Vote(true, false, false);

    private final Model model;
    private final Replica replica;
    private final List<Batch> batches;
    private long step;

    /** @param freezing says what does not learn */
    FineTuningWorkload(Layer definition, Input input, List<Batch> batches, Consumer<Model> freezing) {
        this.batches = batches;
        model = Model.of(definition, Model.Options.DEFAULT, List.of(input));
        freezing.accept(model);
        TrainingConfig recipe = TrainingConfig.of(adamW(LEARNING_RATE), softmaxCrossEntropy());
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
