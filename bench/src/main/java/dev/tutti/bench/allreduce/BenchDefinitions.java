package dev.tutti.bench.allreduce;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The names of what benchmarks tell workers in other JVMs. */
public final class BenchDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(RandomSource.class, "benchRandom");
    }
}
