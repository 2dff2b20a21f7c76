package dev.tutti;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Tells files from what only looks like one: reading a named pipe or a device may never end. */
public final class FileKind {
    private FileKind() {}

    /** What keeps a path from being read as a file, in words; empty for a file, and for a path where there is nothing. */
    public static Optional<String> problem(Path path) {
        if (!Files.exists(path) || Files.isRegularFile(path)) {
            return Optional.empty();
        }
        return Optional.of(
                Files.isDirectory(path)
                        ? "is a folder: expected a file"
                        : "is a named pipe, a socket or a device: expected a file");
    }

    /**
     * Requires a file before it is opened.
     *
     * @throws NoSuchFileException if there is nothing
     * @throws IOException if there is something else than a file
     */
    public static Path require(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Optional<String> problem = problem(path);
        if (problem.isPresent()) {
            throw new IOException("it " + problem.get());
        }
        return path;
    }
}
