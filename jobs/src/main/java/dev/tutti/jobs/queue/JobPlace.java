package dev.tutti.jobs.queue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A place for jobs beside this machine's cores, such as a Spark cluster: what the process of such a job needs to reach it.
 *
 * @param type what the {@code cluster} of a job file calls it
 * @param classes looked for before those of this JVM
 * @param options of the JVM
 * @param environment of the process
 */
public record JobPlace(String type, List<Path> classes, List<String> options, Map<String, String> environment) {
    public JobPlace {
        classes = List.copyOf(classes);
        options = List.copyOf(options);
        environment = Map.copyOf(environment);
    }

    /** The type of the cluster that a job file names; empty text for none. */
    static String typeOf(JsonNode job) {
        JsonNode cluster = job.path("cluster");
        return cluster.isTextual() ? cluster.asText() : cluster.path("type").asText("");
    }
}
