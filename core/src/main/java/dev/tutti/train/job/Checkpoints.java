package dev.tutti.train.job;

import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What is left of earlier runs of a job, in its folder. */
public final class Checkpoints {
    /** What may change between a run and the one that goes on from it: how long, where and how it is watched. */
    private static final Set<String> MAY_CHANGE =
            Set.of("name", "epochs", "cores", "device", "checkpoints", "callbacks", "output");

    private final Job job;
    private final RunFolder output;

    public Checkpoints(Job job) {
        this.job = job;
        this.output = job.output();
    }

    public Path folder() {
        return job.checkpoints().folder(output);
    }

    /** Whether there are any. */
    public boolean exist() {
        Path folder = folder();
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(file -> file.toString().endsWith(".safetensors"));
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be listed: " + e.getMessage(), e);
        }
    }

    /** Whether a run was cut off that could go on. */
    public boolean unfinished() {
        return exist() && !Files.exists(output.result());
    }

    /** Where the checkpoints of an unfinished run go when a new one begins. */
    public Path aside() {
        Path folder = folder();
        return folder.resolveSibling(folder.getFileName() + ".old");
    }

    /** Makes room for a new run. Checkpoints of an unfinished one are kept, but for those of the one before it. */
    void setAside() {
        try {
            if (exist()) {
                boolean worthKeeping = unfinished();
                delete(aside());
                Files.move(folder(), aside());
                if (!worthKeeping) {
                    delete(aside());
                }
            }
        } catch (IOException e) {
            throw new FileException(
                    folder().toString(), "the checkpoints of an earlier run cannot be moved: " + e.getMessage(), e);
        }
    }

    /** Makes those of another folder the run's own, which are kept aside. */
    void replaceBy(Path fresh) {
        try {
            delete(aside());
            Files.move(folder(), aside());
            Files.move(fresh, folder());
        } catch (IOException e) {
            throw new FileException(folder().toString(), "the checkpoints cannot be replaced: " + e.getMessage(), e);
        }
    }

    /** From now on a run is under way. */
    void markUnfinished() {
        try {
            Files.deleteIfExists(output.result());
        } catch (IOException e) {
            throw new FileException(output.result().toString(), "cannot be removed: " + e.getMessage(), e);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                Files.delete(entry);
            }
        }
        Files.delete(folder);
    }

    /** A run that goes on must be the one that was cut off, otherwise its result would be neither's. */
    void requireSameJob() {
        if (!exist() || !Files.exists(output.job())) {
            return;
        }
        List<String> differences = new EarlierRun(job).differences(MAY_CHANGE);
        if (!differences.isEmpty()) {
            throw new ConfigException("the run in " + output + " cannot go on with another job: "
                    + String.join("; ", differences) + ". Say the same as before, or begin anew without resuming.");
        }
    }
}
