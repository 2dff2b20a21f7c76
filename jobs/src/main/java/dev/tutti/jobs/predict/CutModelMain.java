package dev.tutti.jobs.predict;

import dev.tutti.cluster.Tutti;
import dev.tutti.json.Json;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.inference.CutModel;
import dev.tutti.train.replica.Strategy;
import java.nio.file.Path;

/** A process that holds a part of a saved model and computes what the first process sends. */
public final class CutModelMain {
    private CutModelMain() {}

    /** Arguments: the folder of the model, and the strategy as JSON. */
    public static void main(String[] arguments) {
        Parallel strategy = (Parallel) Json.read(arguments[1], Strategy.class, "the strategy");
        Tutti.init();
        try (CutModel model = CutModel.open(Path.of(arguments[0]), strategy, Tutti.team())) {
            model.run();
        } finally {
            Tutti.close();
        }
    }
}
