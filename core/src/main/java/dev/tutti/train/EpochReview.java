package dev.tutti.train;

import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.optim.MovingAverage;
import dev.tutti.tensor.Engine;
import dev.tutti.train.checkpoint.AveragedWeights;
import dev.tutti.train.replica.Agreement;
import java.util.Optional;

/** Looks back on an epoch that is over: what was measured on the way, and how good the model is now. */
final class EpochReview {
    private final Model model;
    private final Team team;
    private final Agreement agreement;
    private final TrainingConfig recipe;
    private final Optional<Dataset> validation;
    private final AveragedWeights averaged;
    private final int threads = Engine.threads(); // a replica may use fewer while it trains
    private long began = System.nanoTime();

    EpochReview(
            Model model,
            Team team,
            Agreement agreement,
            TrainingConfig recipe,
            Optional<Dataset> validation,
            AveragedWeights averaged) {
        this.model = model;
        this.team = team;
        this.agreement = agreement;
        this.recipe = recipe;
        this.validation = validation;
        this.averaged = averaged;
    }

    /** All members call it together. */
    EpochResult of(RunProgress standing, double learningRate) {
        Evaluation validated = validate();
        Evaluation training = standing.totals().value();
        long now = System.nanoTime();
        EpochResult result = new EpochResult(
                standing.epoch() + 1, standing.step(), learningRate, training, validated, (now - began) / 1e9);
        began = now;
        return result;
    }

    private Evaluation validate() {
        if (validation.isEmpty()) {
            return null;
        }
        Engine.useThreads(threads);
        try (MovingAverage.Swap swap = averaged.swapIn()) {
            return Evaluator.evaluate(model, recipe, validation.get(), team.group(), agreement)
                    .value();
        }
    }
}
