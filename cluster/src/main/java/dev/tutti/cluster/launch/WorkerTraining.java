package dev.tutti.cluster.launch;

import dev.tutti.metric.Metric;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.WorkerTask;
import java.util.function.BooleanSupplier;

/** Takes part in a training as one of its workers: with a model of its own, and without callbacks. */
final class WorkerTraining {
    private WorkerTraining() {}

    /**
     * Trains until the members are done.
     *
     * @param place where this worker meets the others
     * @param threads workers on threads of this member
     * @param stop asked after each step; true ends the training of all members
     */
    static void run(WorkerTask work, Launcher place, int threads, BooleanSupplier stop) {
        TrainingConfig recipe = work.recipe();
        try (Trainer trainer = Trainer.of(work.model(), recipe.optimizer(), recipe.loss())
                .metrics(recipe.metrics().toArray(Metric[]::new))
                .movingAverage(recipe.movingAverage())
                .seed(recipe.seed())
                .threads(threads)) {
            Fit fit = Fit.epochs(work.epochs())
                    .accumulate(work.accumulate())
                    .on(place)
                    .with(work.strategy())
                    .until(stop);
            trainer.fit(work.data(), work.validation() == null ? fit : fit.validate(work.validation()));
        }
    }
}
