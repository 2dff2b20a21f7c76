package dev.tutti.jobs.queue;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** Puts models into a repository as the next version, whole or not at all. */
public final class ModelPublisher {
    private final Path repository;

    public ModelPublisher(Path repository) {
        this.repository = repository;
    }

    /** Copies a saved model and gives the version it got. */
    public synchronized long publish(Path model, String name) {
        Path folder = repository.resolve(name);
        try {
            Files.createDirectories(folder);
            long next = newest(folder) + 1;
            Path temporary = Files.createTempDirectory(folder, ".publishing");
            try (Stream<Path> files = Files.list(model)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, temporary.resolve(file.getFileName().toString()));
                }
            }
            Files.move(temporary, folder.resolve(Long.toString(next)), StandardCopyOption.ATOMIC_MOVE);
            return next;
        } catch (IOException e) {
            throw new FileException(folder.toString(), "the model cannot be published here: " + e.getMessage());
        }
    }

    private static long newest(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Long> versions = entries.map(path -> path.getFileName().toString())
                    .filter(name -> name.matches("[1-9][0-9]{0,17}"))
                    .map(Long::parseLong)
                    .toList();
            return versions.stream().mapToLong(Long::longValue).max().orElse(0);
        }
    }
}
