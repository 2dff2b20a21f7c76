package dev.tutti.serve.model;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.checkpoint.SavedWeights;
import dev.tutti.train.job.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Saved models in a folder. The path is one model (a saved model, or the run that made it), or a folder of models. Each of those is a
 * model, or a folder of versions named 1, 2, ... which are models.
 *
 * <p>A folder of versions may hold {@code serving.json}, the {@link TrafficPolicy} of the model.
 */
public final class ModelRepository {
    /** What models and labels may be called. */
    public static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

    private static final String POLICY = "serving.json";
    private static final String MODEL = "model.json";

    /**
     * A model that was found.
     *
     * @param folder of its versions, or of the one model
     * @param versions their folders by number; one without versions of its own has the number 0
     */
    record Found(Path folder, TreeMap<Long, Path> versions) {
        boolean isVersioned() {
            return !versions.containsKey(0L);
        }
    }

    private final Path root;

    public ModelRepository(Path root) {
        this.root = root;
    }

    public Path root() {
        return root;
    }

    /**
     * What is there now, by name. Folders that hold no models are left out.
     *
     * @throws FileException if the path does not exist or cannot be read
     */
    Map<String, Found> scan() {
        Path whole = root.toAbsolutePath().normalize();
        if (!Files.isDirectory(whole)) {
            throw new FileException(
                    root.toString(), "does not exist: expected a saved model, a run, or a folder of models");
        }
        Map<String, Found> found = new TreeMap<>();
        if (isModel(whole)) {
            boolean inRun = whole.getFileName() != null
                    && whole.getFileName().toString().equals("model");
            Path named = inRun && whole.getParent() != null ? whole.getParent() : whole;
            found.put(name(named), single(whole));
            return found;
        }
        for (Path folder : folders(whole)) {
            String name = folder.getFileName().toString();
            if (!name.matches(NAME)) {
                continue;
            }
            Found model = isModel(folder) ? single(folder) : versioned(folder);
            if (!model.versions.isEmpty()) {
                found.put(name, model);
            }
        }
        return found;
    }

    private static String name(Path folder) {
        String name =
                folder.getFileName() == null ? "model" : folder.getFileName().toString();
        return name.matches(NAME) ? name : "model";
    }

    private static Found single(Path folder) {
        TreeMap<Long, Path> versions = new TreeMap<>();
        versions.put(0L, RunFolder.modelAt(folder));
        return new Found(folder, versions);
    }

    private static Found versioned(Path folder) {
        TreeMap<Long, Path> versions = new TreeMap<>();
        for (Path inside : folders(folder)) {
            String name = inside.getFileName().toString();
            if (name.matches("[1-9][0-9]{0,17}") && isModel(inside)) {
                versions.put(Long.parseLong(name), RunFolder.modelAt(inside));
            }
        }
        return new Found(folder, versions);
    }

    private static boolean isModel(Path folder) {
        return Files.isRegularFile(RunFolder.modelAt(folder).resolve(MODEL));
    }

    private static List<Path> folders(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(Files::isDirectory).sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be read: " + e.getMessage());
        }
    }

    /** Changes when the files of a model are replaced. */
    static String fingerprint(Path model) {
        StringBuilder text = new StringBuilder();
        for (Path file : List.of(model.resolve(MODEL), SavedWeights.witness(model), model.resolve("features.json"))) {
            try {
                text.append(Files.getLastModifiedTime(file).toMillis())
                        .append(':')
                        .append(Files.size(file))
                        .append(' ');
            } catch (IOException e) {
                text.append("none ");
            }
        }
        return text.toString();
    }

    static TrafficPolicy policy(Found model) {
        Path file = model.folder.resolve(POLICY);
        return model.isVersioned() && Files.isRegularFile(file)
                ? Json.read(file, TrafficPolicy.class)
                : TrafficPolicy.NEWEST;
    }

    /** Keeps the policy of a model with versions, so that it holds after a restart. */
    static void keep(Found model, TrafficPolicy policy) {
        if (model.isVersioned()) {
            AtomicFile.write(model.folder.resolve(POLICY), Json.write(policy) + "\n");
        }
    }
}
