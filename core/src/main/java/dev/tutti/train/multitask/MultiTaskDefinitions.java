package dev.tutti.train.multitask;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that tasks have in files. */
public final class MultiTaskDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(TaskSource.class, "tasks", TaskLoss.class, "tasks", TaskMetric.class, "task");
    }
}
