package dev.tutti.train.quantize;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder for files that are looked at and thrown away. */
record TrialFolder(Path path) implements AutoCloseable {
    static TrialFolder create() {
        try {
            return new TrialFolder(Files.createTempDirectory("tutti-quantize"));
        } catch (IOException e) {
            throw new FileException(
                    System.getProperty("java.io.tmpdir"), "no folder can be made in it: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> inside = Files.walk(path)) {
            for (Path each : inside.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be removed: " + e.getMessage(), e);
        }
    }
}
