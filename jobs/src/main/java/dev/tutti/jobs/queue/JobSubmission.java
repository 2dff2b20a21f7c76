package dev.tutti.jobs.queue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.train.job.JobFile;
import java.util.List;

/**
 * What a user submits.
 *
 * @param job the text of a job file, YAML or JSON, or the name of a built-in job
 * @param name for people; the job's own by default
 * @param cores to use; 1 by default
 * @param memoryMegabytes 0 for no limit
 * @param devices such as NVIDIA cards; none by default
 * @param publish the name to publish the model under when the job has finished; null for none
 */
public record JobSubmission(
        JsonNode job,
        String name,
        Integer priority,
        Integer cores,
        Integer memoryMegabytes,
        Integer devices,
        String publish) {
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

    /** The text of the job file, checked as far as that goes without its data. */
    String text() {
        if (job == null) {
            throw new TuttiException("expected 'job': the text of a job file, its content as an object, or mnist");
        }
        String text = job.isTextual()
                ? JobFile.builtIn().contains(job.asText())
                        ? JobFile.builtIn(job.asText()).text()
                        : job.asText()
                : Json.writeYaml(job);
        JobFile.of(text, "job", "job");
        requireNoFolders(text);
        return text;
    }

    /** The service decides where a job writes. */
    private static void requireNoFolders(String text) {
        JsonNode tree = Json.readYaml(text, JsonNode.class, "job");
        for (String pointer : List.of("/checkpoints/folder")) {
            if (!tree.at(pointer).isMissingNode()) {
                throw new ConfigException("job: " + pointer.substring(1).replace('/', '.')
                        + ": the service chooses where a job writes: leave the key out");
            }
        }
        for (JsonNode callback : tree.path("callbacks")) {
            for (String key : List.of("folder", "file")) {
                if (callback.has(key)) {
                    throw new ConfigException(
                            "job: callbacks: " + key + ": the service chooses where a job writes: leave the key out");
                }
            }
        }
    }

    void check(Resources machine) {
        if (cores() != null && (cores() < 1 || cores() > machine.cores())) {
            throw new TuttiException("cores: expected 1 to " + machine.cores() + ", received " + cores());
        }
        if (memoryMegabytes() != null && (memoryMegabytes() < 0 || memoryMegabytes() > machine.memoryMegabytes())) {
            throw new TuttiException(
                    "memoryMegabytes: expected 0 to " + machine.memoryMegabytes() + ", received " + memoryMegabytes());
        }
        if (devices() != null && (devices() < 0 || devices() > machine.devices())) {
            throw new TuttiException("devices: expected 0 to " + machine.devices() + ", received " + devices());
        }
        for (String one : new String[] {name, publish}) {
            if (one != null && !one.matches(NAME)) {
                throw new TuttiException("a name is made of letters, digits, '.', '_' and '-', 64 at most: received '"
                        + one.substring(0, Math.min(64, one.length())) + "'");
            }
        }
    }
}
