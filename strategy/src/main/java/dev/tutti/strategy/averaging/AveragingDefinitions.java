package dev.tutti.strategy.averaging;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names that weights and outer optimizers of averaging have in files. */
public final class AveragingDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.ofEntries(
                Map.entry(NesterovOuter.class, "nesterov"),
                Map.entry(EqualWeights.class, "plain"),
                Map.entry(SampleWeights.class, "samples"),
                Map.entry(LocallyWeighted.class, "locallyWeighted"));
    }
}
