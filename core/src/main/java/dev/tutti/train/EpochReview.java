package dev.tutti.train;

import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.AveragedWeights;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.PartForward;
import dev.tutti.train.replica.Replica;
import java.util.Optional;

/** Looks back on an epoch that is over: what was measured on the way, and how good the model is now. */
final class EpochReview {
    private final Replica replica;
    private final Team team;
    private final Agreement agreement;
    private final TrainingConfig recipe;
    private final Optional<Dataset> validation;
    private final AveragedWeights averaged;
    private final int threads = Engine.threads(); // a replica may use fewer while it trains
    private long began = System.nanoTime();

    EpochReview(
            Replica replica,
            Team team,
            Agreement agreement,
            TrainingConfig recipe,
            Optional<Dataset> validation,
            AveragedWeights averaged) {
        this.replica = replica;
        this.team = team;
        this.agreement = agreement;
        this.recipe = recipe;
        this.validation = validation;
        this.averaged = averaged;
    }

    /** All members call it together. */
    EpochResult of(RunProgress runProgress, double learningRate) {
        Optional<Evaluation> validated = validate();
        Evaluation training = runProgress.totals().value();
        long now = System.nanoTime();
        EpochResult result = new EpochResult(
                runProgress.epoch() + 1, runProgress.step(), learningRate, training, validated, (now - began) / 1e9);
        began = now;
        return result;
    }

    private Optional<Evaluation> validate() {
        if (validation.isEmpty()) {
            return Optional.empty();
        }
        Engine.useThreads(threads);
        try (MovingAverage.Swap swap = averaged.swapIn()) {
            Model model = replica.model();
            Optional<PartForward> parts = replica.forwardOfParts();
            Totals totals = parts.isPresent()
                    ? Evaluator.evaluate(parts.get(), model, recipe, validation.get(), agreement)
                    : Evaluator.evaluate(model, recipe, validation.get(), team.group(), agreement);
            return Optional.of(totals.value());
        }
    }
}
