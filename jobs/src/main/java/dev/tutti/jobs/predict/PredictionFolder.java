package dev.tutti.jobs.predict;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The parts of a prediction that is under way. A part is claimed by a lock on its byte of the file {@code claims}, which the system
 * releases when a process dies, and is written whole or not at all. So each part is there once, whichever process was killed.
 */
record PredictionFolder(Path path) {
    /** The number of parts, once a process has seen the end of the data. */
    private record End(long parts) {}

    /** Why a process gave up. */
    record Failure(String message) {}

    static PredictionFolder beside(Path output) {
        return new PredictionFolder(
                output.toAbsolutePath().normalize().resolveSibling(output.getFileName() + ".parts"));
    }

    private Path spec() {
        return path.resolve("spec.json");
    }

    Optional<PredictionSpec> readSpec() {
        return Files.isRegularFile(spec()) ? Optional.of(Json.read(spec(), PredictionSpec.class)) : Optional.empty();
    }

    void write(PredictionSpec spec) {
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be made: " + e.getMessage());
        }
        AtomicFile.write(spec(), Json.write(spec) + "\n");
    }

    Path part(long number) {
        return path.resolve("part-" + number);
    }

    boolean has(long number) {
        return Files.isRegularFile(part(number));
    }

    Path log(int process) {
        return path.resolve("log-" + process + ".txt");
    }

    OptionalLong parts() {
        Path end = path.resolve("end.json");
        return Files.isRegularFile(end)
                ? OptionalLong.of(Json.read(end, End.class).parts())
                : OptionalLong.empty();
    }

    /** Notes that the data ends before a part; the least number counts. */
    void endsBefore(long part) {
        OptionalLong known = parts();
        if (known.isEmpty() || known.getAsLong() > part) {
            AtomicFile.write(path.resolve("end.json"), Json.write(new End(part)) + "\n");
        }
    }

    Optional<Failure> failure() {
        Path file = path.resolve("failure.json");
        return Files.isRegularFile(file) ? Optional.of(Json.read(file, Failure.class)) : Optional.empty();
    }

    void write(Failure failure) {
        AtomicFile.write(path.resolve("failure.json"), Json.write(failure) + "\n");
    }

    void forgetFailure() {
        try {
            Files.deleteIfExists(path.resolve("failure.json"));
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be written: " + e.getMessage());
        }
    }

    FileChannel openClaims() {
        try {
            return FileChannel.open(path.resolve("claims"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be written: " + e.getMessage());
        }
    }

    /** Claims a part for this process; empty if another one works on it. */
    static Optional<FileLock> claim(FileChannel claims, long part) {
        try {
            return Optional.ofNullable(claims.tryLock(part, 1, false));
        } catch (OverlappingFileLockException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new FileException("claims", "cannot be locked: " + e.getMessage());
        }
    }
}
