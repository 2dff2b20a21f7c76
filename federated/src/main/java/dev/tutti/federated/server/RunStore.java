package dev.tutti.federated.server;

import dev.tutti.TuttiException;
import dev.tutti.io.CorruptFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of a run on disk: a file for each of the last rounds, of which the newest sound one counts. */
final class RunStore {
    private static final Logger LOG = LoggerFactory.getLogger(RunStore.class);
    private static final int KEPT = 3;

    private final Path folder;

    RunStore(Path output) {
        folder = output.resolve("state");
    }

    Path clients() {
        return folder.resolve("clients.json");
    }

    /** Writes the state; when this returns it is on disk. */
    void save(RunSnapshot snapshot) {
        snapshot.write(folder.resolve(String.format(
                Locale.ROOT, "round-%06d.safetensors", snapshot.facts().round())));
        List<Path> files = files();
        for (Path old : files.subList(0, Math.max(0, files.size() - KEPT))) {
            try {
                Files.deleteIfExists(old);
            } catch (IOException e) {
                LOG.warn("The old state {} could not be removed: {}", old, e.getMessage());
            }
        }
    }

    /**
     * The newest state that is sound.
     *
     * @throws TuttiException if there are files, and none of them is
     */
    Optional<RunSnapshot> newest() {
        List<Path> files = files();
        for (int i = files.size() - 1; i >= 0; i--) {
            try {
                return Optional.of(RunSnapshot.read(files.get(i)));
            } catch (CorruptFileException e) {
                LOG.warn("{}: the state before it is used instead", e.getMessage());
            }
        }
        if (!files.isEmpty()) {
            throw new TuttiException("no state in " + folder + " can be read: remove the folder to begin anew");
        }
        return Optional.empty();
    }

    private List<Path> files() {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().matches("round-\\d+\\.safetensors"))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
