package dev.tutti.strategy;

import dev.tutti.json.Definitions;
import dev.tutti.strategy.allreduce.AllReduce;
import dev.tutti.strategy.averaging.Averaging;
import dev.tutti.strategy.ps.ParameterServer;
import java.util.Map;

/** The names strategies have in files. */
public final class StrategyDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(
                AllReduce.class, "allReduce", Averaging.class, "averaging", ParameterServer.class, "parameterServer");
    }
}
