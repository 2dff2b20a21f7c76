package dev.tutti.train.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import dev.tutti.io.Safetensors;
import dev.tutti.json.Json;
import dev.tutti.train.TrainingConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The checkpoints of one run: the last few are kept, a damaged one is passed over. */
public final class CheckpointFolder {
    private static final Logger log = LoggerFactory.getLogger(CheckpointFolder.class);
    private static final String PREFIX = "step-";
    private static final String SUFFIX = ".safetensors";
    private static final String PART = ".part-";

    private final Path folder;

    public CheckpointFolder(Path folder) {
        this.folder = folder;
    }

    Path path() {
        return folder;
    }

    /** The file of a checkpoint that one member writes alone. */
    Path single(long step) {
        return folder.resolve(name(step) + SUFFIX);
    }

    /** The manifest of a checkpoint in parts. */
    Path manifest(long step) {
        return folder.resolve(name(step) + CheckpointManifest.SUFFIX);
    }

    /**
     * A part of a checkpoint.
     *
     * @param writing tells the parts that are written now from those of the same step that a manifest may name already
     */
    Path part(long step, String writing, int rank) {
        return folder.resolve(name(step) + "." + writing + PART + rank + SUFFIX);
    }

    private static String name(long step) {
        return String.format(Locale.ROOT, "%s%09d", PREFIX, step);
    }

    /** Deletes all but the newest {@code keep} up to a checkpoint that was written now: what is further is not of this run. */
    void keep(int keep, Path written) {
        List<Path> files =
                files().stream().filter(each -> step(each) <= step(written)).toList();
        List<Path> old = new ArrayList<>(files.subList(0, Math.max(0, files.size() - keep)));
        files.stream()
                .filter(each -> step(each) == step(written) && !each.equals(written))
                .filter(each -> !old.contains(each))
                .forEach(old::add); // the same step in the other form
        old.forEach(CheckpointFolder::delete);
        if (CheckpointManifest.isManifest(written) || old.stream().anyMatch(CheckpointManifest::isManifest)) {
            deleteUnnamedParts();
        }
    }

    private static long step(Path file) {
        String name = file.getFileName().toString();
        return Long.parseLong(name.substring(PREFIX.length(), name.indexOf('.')));
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("the old checkpoint {} could not be deleted: {}", file, e.toString());
        }
    }

    /** Deletes parts that no manifest names: of deleted checkpoints, and of writers that were killed. */
    void deleteUnnamedParts() {
        Set<String> named = new HashSet<>();
        for (Path file : files()) {
            if (CheckpointManifest.isManifest(file)) {
                try {
                    CheckpointManifest.read(file).parts().forEach(part -> named.add(part.file()));
                } catch (CorruptFileException e) {
                    return; // its parts are not known
                }
            }
        }
        list(file -> file.contains(PART)).stream()
                .filter(file -> !named.contains(file.getFileName().toString()))
                .forEach(CheckpointFolder::delete);
    }

    /**
     * The newest checkpoint that is sound; damaged ones are named in the log. Empty if there is none at all.
     *
     * @throws CorruptFileException if there are some and all are damaged: a run that begins anew must be asked for
     */
    public Optional<Checkpoint> newest() {
        Optional<Checkpoint> newest = newest(checkpoint -> true);
        if (newest.isEmpty() && !files().isEmpty()) {
            throw new CorruptFileException(
                    folder.toString(),
                    "no checkpoint in it is sound, so there is nothing to go on from: begin anew without resuming");
        }
        return newest;
    }

    /**
     * Copies the newest sound checkpoint into another folder, of which the newest few are kept: its parts first, its manifest last.
     *
     * @return the file of the copy, or its manifest; empty if there is no checkpoint
     */
    public Optional<Path> copyNewest(Path to, int keep) {
        Optional<Path> newest = sound(checkpoint -> true).map(Checkpoint::file);
        newest.ifPresent(file -> {
            if (CheckpointManifest.isManifest(file)) {
                CheckpointManifest.read(file).parts().forEach(part -> copy(folder.resolve(part.file()), to));
            }
            copy(file, to);
            new CheckpointFolder(to).keep(keep, to.resolve(file.getFileName()));
        });
        return newest.map(file -> to.resolve(file.getFileName()));
    }

    private static void copy(Path file, Path to) {
        Path target = to.resolve(file.getFileName());
        if (!target.equals(file)) {
            AtomicFile.write(target, out -> Files.copy(file, out));
        }
    }

    /** The newest sound one of a run; others' are passed over. */
    public Optional<Checkpoint> newestOf(String run) {
        return newest(checkpoint -> run.equals(checkpoint.progress().run()));
    }

    private Optional<Checkpoint> newest(Predicate<Checkpoint> wanted) {
        Optional<Checkpoint> newest = sound(wanted);
        newest.ifPresent(checkpoint -> log.info("going on from {}", checkpoint.file()));
        return newest;
    }

    private Optional<Checkpoint> sound(Predicate<Checkpoint> wanted) {
        List<Path> files = files();
        for (int i = files.size() - 1; i >= 0; i--) {
            try {
                Checkpoint checkpoint = Checkpoint.open(files.get(i));
                if (wanted.test(checkpoint)) {
                    return Optional.of(checkpoint);
                }
            } catch (CorruptFileException e) {
                log.warn(
                        "{}; {}",
                        e.getMessage(),
                        i > 0 ? "the checkpoint before it is tried" : "there is none before it");
            }
        }
        return Optional.empty();
    }

    /** All checkpoints, the oldest first: the file of each, or its manifest. */
    public List<Path> files() {
        return list(name -> name.endsWith(SUFFIX) && !name.contains(PART) || name.endsWith(CheckpointManifest.SUFFIX));
    }

    private List<Path> list(Predicate<String> wanted) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(PREFIX) && wanted.test(name);
                    })
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be listed: " + e.getMessage());
        }
    }

    /**
     * Lets a run with another recipe go on from the whole checkpoints in this folder, as population-based training does: parameters and
     * optimizer state stay as they are.
     */
    public void adoptRecipe(TrainingConfig recipe) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".safetensors"))
                    .toList()) {
                Safetensors content = Safetensors.readVerified(file);
                ObjectNode note =
                        (ObjectNode) Json.json().readTree(content.metadata().get(Checkpoint.NOTE));
                note.put("recipe", Json.write(recipe));
                content.with(Checkpoint.NOTE, Json.write(note)).writeWithChecksum(file);
            }
        } catch (IOException e) {
            throw new FileException(folder.toString(), "the checkpoints cannot be rewritten: " + e.getMessage(), e);
        }
    }
}
