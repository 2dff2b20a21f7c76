package dev.tutti.strategy;

import dev.tutti.json.Definitions;
import dev.tutti.strategy.allreduce.AllReduce;
import dev.tutti.strategy.averaging.Averaging;
import dev.tutti.strategy.hogwild.Hogwild;
import dev.tutti.strategy.mapreduce.MapReduce;
import dev.tutti.strategy.multitask.PlacedTasks;
import dev.tutti.strategy.multitask.TaskGradients;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.ps.ParameterServer;
import java.util.Map;

/** The names strategies have in files. */
public final class StrategyDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(
                AllReduce.class, "allReduce",
                Averaging.class, "averaging",
                Hogwild.class, "hogwild",
                MapReduce.class, "mapReduce",
                Parallel.class, "parallel",
                ParameterServer.class, "parameterServer",
                PlacedTasks.class, "placedTasks",
                TaskGradients.class, "taskGradients");
    }
}
