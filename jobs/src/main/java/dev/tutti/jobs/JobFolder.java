package dev.tutti.jobs;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.train.job.RunFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The files of one job: all that is known about it, so that a service that was killed finds it again.
 *
 * <ul>
 *   <li>{@code record.json}: written by the service
 *   <li>{@code job.yaml}: what was submitted
 *   <li>{@code lock}: held by the job's process for as long as it lives
 *   <li>{@code process.json}: its number, for signals
 *   <li>{@code progress.jsonl}, {@code log.txt}: written by the process
 *   <li>{@code settings.json}: changed while it runs
 *   <li>{@code outcome.json}: the last thing the process writes
 *   <li>{@code run}: the run folder with checkpoints and model
 * </ul>
 */
public record JobFolder(Path path) {
    /** How a process ended. */
    public record JobOutcome(String ending, String message) {}

    /** The process of a job. */
    public record JobProcessId(long pid) {}

    private static final String RECORD = "record.json";
    private static final String OUTCOME = "outcome.json";
    private static final String PROCESS = "process.json";
    private static final String SETTINGS = "settings.json";

    public Path job() {
        return path.resolve("job.yaml");
    }

    public Path log() {
        return path.resolve("log.txt");
    }

    public Path progress() {
        return path.resolve("progress.jsonl");
    }

    public RunFolder run() {
        return new RunFolder(path.resolve("run"));
    }

    /** Whether a job was accepted here: its record is written last. */
    public boolean exists() {
        return Files.isRegularFile(path.resolve(RECORD));
    }

    public JobRecord record() {
        return Json.read(path.resolve(RECORD), JobRecord.class);
    }

    public void write(JobRecord record) {
        AtomicFile.write(path.resolve(RECORD), Json.write(record) + "\n");
    }

    public Optional<JobOutcome> outcome() {
        return read(OUTCOME, JobOutcome.class);
    }

    public void write(JobOutcome outcome) {
        AtomicFile.write(path.resolve(OUTCOME), Json.write(outcome) + "\n");
    }

    public void write(JobProcessId process) {
        AtomicFile.write(path.resolve(PROCESS), Json.write(process) + "\n");
    }

    public Optional<JobProcessId> process() {
        return read(PROCESS, JobProcessId.class);
    }

    /** Settings that were changed while the job runs. */
    public Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        read(SETTINGS, Map.class)
                .ifPresent(map ->
                        ((Map<?, ?>) map).forEach((key, value) -> settings.put(key.toString(), String.valueOf(value))));
        return settings;
    }

    public void write(Map<String, String> settings) {
        AtomicFile.write(path.resolve(SETTINGS), Json.write(settings) + "\n");
    }

    private <T> Optional<T> read(String name, Class<T> type) {
        Path file = path.resolve(name);
        return Files.isRegularFile(file) ? Optional.of(Json.read(file, type)) : Optional.empty();
    }

    /** Forgets how the last process ended, before another one is started. */
    public void forgetProcess() {
        try {
            Files.deleteIfExists(path.resolve(OUTCOME));
            Files.deleteIfExists(path.resolve(PROCESS));
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be written: " + e.getMessage());
        }
    }

    /** Marks this process as the one that works for the job; empty if another one does. It holds until the process ends. */
    public Optional<FileLock> lock() {
        try {
            FileChannel channel =
                    FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                channel.close();
            }
            return Optional.ofNullable(lock);
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be locked: " + e.getMessage());
        }
    }

    /** Whether a process works for the job, also one that another service started. */
    public boolean isHeld() {
        if (!Files.exists(path.resolve("lock"))) {
            return false;
        }
        Optional<FileLock> lock = lock();
        if (lock.isEmpty()) {
            return true;
        }
        try {
            lock.get().acquiredBy().close();
            return false;
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be unlocked: " + e.getMessage());
        }
    }

    /** Removes all files; the record first, so that a deletion that was cut off is one. */
    public void delete() {
        try {
            Files.deleteIfExists(path.resolve(RECORD));
            List<Path> files;
            try (Stream<Path> all = Files.walk(path)) {
                files = all.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be deleted: " + e.getMessage());
        }
    }
}
