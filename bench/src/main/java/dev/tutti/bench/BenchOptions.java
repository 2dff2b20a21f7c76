package dev.tutti.bench;

import dev.tutti.TuttiException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * How a benchmark is run.
 *
 * @param quick fewer and shorter rounds: a first impression, not numbers to quote
 * @param project the project's folder, with bench/peers in it; results go to bench/results there
 * @param only run only the races whose name contains this text (all, when empty); results are then not written,
 *     since they would replace the whole by a part
 */
public record BenchOptions(boolean quick, Path project, String only) {
    public BenchOptions {
        Objects.requireNonNull(project, "A benchmark needs the project's folder.");
        Objects.requireNonNull(only, "Say \"\" to run everything.");
    }

    /** Everything, in the project that this process was started in. */
    public static BenchOptions here(boolean quick) {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("bench").resolve("peers"))) {
                return new BenchOptions(quick, folder, "");
            }
        }
        throw new TuttiException("Benchmarks need the project's folder with bench/peers in it, but neither " + here
                + " nor a folder above it has one. Run the command inside the project.");
    }
}
