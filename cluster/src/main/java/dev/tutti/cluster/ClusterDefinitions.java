package dev.tutti.cluster;

import dev.tutti.cluster.launch.LocalMembers;
import dev.tutti.cluster.launch.LocalProcesses;
import dev.tutti.json.Definitions;
import java.util.Map;

/** The names workplaces have in files. */
public final class ClusterDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        return Map.of(
                LocalProcesses.class, "processes", LocalMembers.class, "members", ExternalCluster.class, "joined");
    }
}
