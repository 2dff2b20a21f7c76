package dev.tutti.spark.launch;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder that is deleted with all it holds when it is closed. */
public record ScratchFolder(Path path) implements AutoCloseable {
    /** Makes one for this use alone. */
    public static ScratchFolder create(String name) {
        try {
            return new ScratchFolder(Files.createTempDirectory("tutti-" + name));
        } catch (IOException e) {
            throw new FileException(
                    System.getProperty("java.io.tmpdir"), "no temporary folder can be made: " + e.getMessage(), e);
        }
    }

    /** Deletes a folder and all it holds. */
    static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(folder)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }

    @Override
    public void close() {
        try {
            delete(path);
        } catch (IOException e) {
            path.toFile().deleteOnExit(); // in use elsewhere: the next restart of the machine clears it
        }
    }
}
