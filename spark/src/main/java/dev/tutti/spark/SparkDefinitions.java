package dev.tutti.spark;

import dev.tutti.json.Definitions;
import java.util.Map;

/** The name that a Spark cluster has in files. */
public final class SparkDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(SparkCluster.class, "spark");
    }
}
