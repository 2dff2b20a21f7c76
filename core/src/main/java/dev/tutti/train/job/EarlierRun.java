package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.TuttiException;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What an earlier run has left in the folder that a job writes to, compared with the job.
 *
 * <p>A finished model of another job, or of the same job with other settings, is never replaced: it moves to {@code earlier-1},
 * {@code earlier-2} and so on in the same folder, with all that belongs to it. The same job run again gives the same model, and
 * replaces it.
 */
public final class EarlierRun {
    /** What decides neither on the model nor on how good it is. */
    private static final Set<String> SAME_MODEL =
            Set.of("name", "cores", "device", "checkpoints", "callbacks", "output");

    private final Job job;
    private final RunFolder output;

    public EarlierRun(Job job) {
        this.job = job;
        this.output = job.output();
    }

    /** Where its model is moved to; empty if there is none, or if it is the same job's. */
    public Optional<Path> aside() {
        if (!Files.isDirectory(output.model()) || isSameJob()) {
            return Optional.empty();
        }
        int number = 1;
        while (Files.exists(output.path().resolve("earlier-" + number))) {
            number++;
        }
        return Optional.of(output.path().resolve("earlier-" + number));
    }

    private boolean isSameJob() {
        try {
            return Files.exists(output.job()) && differences(SAME_MODEL).isEmpty();
        } catch (TuttiException e) {
            return false; // a job that can no longer be read is another one
        }
    }

    /** Moves what must not be replaced. */
    void setAside() {
        aside().ifPresent(this::moveTo);
    }

    private void moveTo(Path aside) {
        try {
            Files.createDirectories(aside);
            for (Path each : List.of(output.result(), output.job(), output.best(), output.model())) {
                try {
                    Files.move(each, aside.resolve(each.getFileName()));
                } catch (NoSuchFileException e) {
                    continue; // not every run has left all of it
                }
            }
        } catch (IOException e) {
            throw new FileException(
                    output.toString(),
                    "the model of an earlier run cannot be moved to " + aside + ": " + e.getMessage(),
                    e);
        }
    }

    /** How the job differs from the one that was run here before, key by key. */
    List<String> differences(Set<String> ignored) {
        JsonNode before = tree(Json.read(output.job(), Job.class));
        JsonNode now = tree(job);
        Set<String> keys = new TreeSet<>();
        before.fieldNames().forEachRemaining(keys::add);
        now.fieldNames().forEachRemaining(keys::add);
        List<String> differences = new ArrayList<>();
        for (String key : keys) {
            if (!ignored.contains(key) && !before.path(key).equals(now.path(key))) {
                differences.add(key + " was " + shown(before.path(key)) + ", now it is " + shown(now.path(key)));
            }
        }
        return differences;
    }

    private static ObjectNode tree(Job job) {
        return Json.tree(job);
    }

    private static String shown(JsonNode node) {
        String text = node.isMissingNode() ? "not said" : node.toString();
        return text.length() <= 120 ? text : text.substring(0, 117) + "...";
    }
}
