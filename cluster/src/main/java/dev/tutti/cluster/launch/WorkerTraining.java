package dev.tutti.cluster.launch;

import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.WorkerTask;
import java.util.function.BooleanSupplier;

/** Takes part in a training as one of its workers: with a model of its own, and without callbacks. */
final class WorkerTraining {
    private WorkerTraining() {}

    /**
     * Trains until the members are done.
     *
     * @param place where this worker meets the others
     * @param workers workers on threads of this member
     * @param stop asked after each step; true ends the training of all members
     */
    static void run(WorkerTask work, Launcher place, int workers, BooleanSupplier stop) {
        Fit common = Fit.epochs(work.fit().epochs())
                .accumulate(work.fit().accumulate())
                .with(work.fit().strategy())
                .on(place)
                .until(stop)
                .quiet();
        Fit fit = work.fit().validation().map(common::validate).orElse(common);
        try (Trainer trainer = Trainer.of(work.model(), work.config()).cores(workers)) {
            trainer.fit(work.data(), fit);
        }
    }
}
