package dev.tutti.train;

import dev.tutti.json.Definitions;
import dev.tutti.train.replica.LocalStrategy;
import dev.tutti.train.worker.WorkerThreads;
import java.util.Map;

/** The names that strategies and places of this module have in files. */
public final class TrainDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(LocalStrategy.class, "local"),
                Map.entry(SingleProcess.class, "here"),
                Map.entry(WorkerThreads.class, "threads"));
    }
}
