package dev.tutti.train.job;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a run leaves behind: {@code model} (a saved model), {@code checkpoints}, {@code job.yaml} (what was run) and, once it has
 * come to its end, {@code result.json}; beside them what callbacks write. While it runs and afterwards {@code status.json} tells how it
 * is doing and {@code metrics.jsonl} what was measured; see {@link dev.tutti.train.run.RunObserver}.
 */
public record RunFolder(Path path) {
    public Path model() {
        return path.resolve("model");
    }

    public Path best() {
        return path.resolve("best");
    }

    /** What adapters have learned, alone. */
    public Path adapter() {
        return path.resolve("adapter.safetensors");
    }

    public Path checkpoints() {
        return path.resolve("checkpoints");
    }

    /** While the run is under way and has a coordinator: how to reach it. */
    public Path coordinator() {
        return path.resolve("coordinator");
    }

    public Path job() {
        return path.resolve("job.yaml");
    }

    public Path result() {
        return path.resolve("result.json");
    }

    /** The saved model that a path denotes: a saved model itself, or the folder of the run that made it. */
    public static Path modelAt(Path path) {
        Path inside = new RunFolder(path).model();
        return !Files.exists(path.resolve("model.json")) && Files.isDirectory(inside) ? inside : path;
    }

    /** The run that made a saved model, where it lies beside it. */
    public static RunFolder of(Path model) {
        Path parent = model.toAbsolutePath().normalize().getParent();
        return new RunFolder(parent == null ? model : parent);
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
