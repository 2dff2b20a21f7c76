package dev.tutti.cluster;

import dev.tutti.cluster.launch.Processes;
import dev.tutti.json.Definitions;
import java.util.Map;

/** The names workplaces have in files. */
public final class ClusterDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(Processes.class, "processes", Joined.class, "joined");
    }
}
