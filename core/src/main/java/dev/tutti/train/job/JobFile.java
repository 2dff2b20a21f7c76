package dev.tutti.train.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.FileKind;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.json.Places;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The text of a job, with what was set over it, and the places of its keys.
 *
 * <p>What is wrong in the text is said with file, line and column; what is wrong in a setting names the setting.
 */
public final class JobFile {
    private static final List<String> BUILT_IN = List.of("mnist");

    private final String text;
    private final String name;
    private final Places places;
    private final JsonNode tree;
    private final Job job;
    private final Map<String, String> settings;

    private JobFile(String text, String name, Places places, JsonNode tree, Job job, Map<String, String> settings) {
        this.text = text;
        this.name = name;
        this.places = places;
        this.tree = tree;
        this.job = job;
        this.settings = settings;
        job.nameIfAbsent(name);
    }

    /** Reads a job from YAML or JSON; {@code where} names the text in messages, {@code name} the job unless it has a name. */
    public static JobFile of(String text, String where, String name) {
        try {
            JsonNode raw = Json.yaml().readTree(text);
            Job job = raw.has("tasks")
                    ? Json.convert(JobTasks.expanded(raw, where), Job.class, where)
                    : Json.readYaml(text, Job.class, where);
            Places places = Places.of(text, where);
            JsonNode tree = FormerKeys.replaced(Json.yaml().readTree(text), places);
            return new JobFile(text, name, places, tree, job, Map.of());
        } catch (JsonProcessingException e) {
            Json.readYaml(text, Job.class, where); // says what is wrong, and where
            throw new IllegalStateException("the text was read before", e);
        }
    }

    public static JobFile read(Path file) {
        try {
            String name = file.getFileName().toString().replaceFirst("\\.(yaml|yml|json)$", "");
            return of(Files.readString(FileKind.require(file)), file.toString(), name);
        } catch (IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** A job that comes with Tutti; see {@link #builtIn()}. */
    public static JobFile builtIn(String name) {
        try (InputStream in = JobFile.class.getResourceAsStream(name + ".yaml")) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "there is no built-in job " + name + ": expected one of " + BUILT_IN);
            }
            return of(new String(in.readAllBytes(), StandardCharsets.UTF_8), name + ".yaml (built in)", name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The names of the jobs that come with Tutti. */
    public static List<String> builtIn() {
        return BUILT_IN;
    }

    /**
     * The job with one value changed.
     *
     * @param path keys and, within lists, places counted from 0, with dots between them: {@code optimizer.learningRate}
     * @param value YAML, such as {@code 3}, {@code mnist} or {@code [accuracy, f1]}
     * @param said how the user asked for it, for messages, such as {@code --epochs 3}
     */
    public JobFile set(String path, String value, String said) {
        String present = FormerKeys.present(path, said);
        JsonNode changed = new SettingOverride(present, said).in(tree, value);
        changed = FormerKeys.replaced(changed, Places.unknown(said)); // the value may hold keys of its own
        Map<String, String> more = new LinkedHashMap<>(settings);
        more.put("/" + present.replace('.', '/'), said);
        return new JobFile(
                text, name, places, changed, Json.convert(JobTasks.expanded(changed, said), Job.class, said), more);
    }

    public Job job() {
        return job;
    }

    /** The text as it was written, without what was set over it. */
    public String text() {
        return text;
    }

    /**
     * The text as a start for another job: without {@code name} and {@code output}, so that the other job is named after its own
     * file and its results go to a folder of their own.
     */
    public String template() {
        ObjectNode rest = tree(text).deepCopy();
        rest.remove(List.of("name", "output"));
        String shorter = text.replaceAll("(?m)^(name|output):.*\\R?", "");
        return rest.equals(tree(shorter)) ? shorter : Json.writeYaml(rest);
    }

    private static ObjectNode tree(String text) {
        try {
            return Json.yaml().readTree(text) instanceof ObjectNode object
                    ? object
                    : Json.yaml().createObjectNode();
        } catch (JsonProcessingException e) {
            return Json.yaml().createObjectNode(); // cut in the middle of a value
        }
    }

    /** Whether a value was set over the text, by its JSON pointer. */
    boolean isSet(String pointer) {
        return settings.keySet().stream().anyMatch(pointer::startsWith);
    }

    /** The text of a value, where there is one. */
    Optional<String> textAt(String pointer) {
        JsonNode value = tree.at(pointer);
        return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
    }

    /** An error about a key of this job, by its JSON pointer. */
    ConfigException problem(String pointer, String message) {
        return problem(pointer, message, null);
    }

    ConfigException problem(String pointer, String message, Throwable cause) {
        String place = settings.entrySet().stream()
                .filter(setting -> pointer.startsWith(setting.getKey()))
                .map(Map.Entry::getValue)
                .reduce((earlier, later) -> later)
                .orElseGet(() ->
                        places.at(FormerKeys.former(pointer).filter(places::has).orElse(pointer)));
        return new ConfigException(place + ": " + message, cause);
    }
}
