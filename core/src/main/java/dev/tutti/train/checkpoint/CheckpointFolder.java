package dev.tutti.train.checkpoint;

import dev.tutti.io.CorruptFileException;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The checkpoints of one run: the last few are kept, a damaged one is passed over. */
public final class CheckpointFolder {
    private static final Logger log = LoggerFactory.getLogger(CheckpointFolder.class);
    private static final String PREFIX = "step-";
    private static final String SUFFIX = ".safetensors";

    private final Path folder;

    public CheckpointFolder(Path folder) {
        this.folder = folder;
    }

    /** Writes a checkpoint, then deletes all but the newest {@code keep} up to it: what is further is not of this run. */
    Path save(Checkpoint checkpoint, int keep) {
        Path file = folder.resolve(String.format(
                Locale.ROOT, "%s%09d%s", PREFIX, checkpoint.progress().step(), SUFFIX));
        checkpoint.write(file);
        List<Path> files =
                files().stream().filter(each -> each.compareTo(file) <= 0).toList();
        for (Path old : files.subList(0, Math.max(0, files.size() - keep))) {
            try {
                Files.deleteIfExists(old);
            } catch (IOException e) {
                log.warn("the old checkpoint {} could not be deleted: {}", old, e.toString());
            }
        }
        return file;
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

    /** The newest sound one of a run; others' are passed over. */
    public Optional<Checkpoint> newestOf(String run) {
        return newest(checkpoint -> run.equals(checkpoint.progress().run()));
    }

    private Optional<Checkpoint> newest(Predicate<Checkpoint> wanted) {
        List<Path> files = files();
        for (int i = files.size() - 1; i >= 0; i--) {
            try {
                Checkpoint checkpoint = Checkpoint.read(files.get(i));
                if (wanted.test(checkpoint)) {
                    log.info("going on from {}", files.get(i));
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

    /** All checkpoints, the oldest first. */
    public List<Path> files() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
                    })
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be listed: " + e.getMessage());
        }
    }
}
