package dev.tutti.train.run;

import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The files through which a run and its observers know of each other; where they lie and how they are written. */
record RunFiles(Path folder) {
    private static final String REQUEST = ".request.json";

    /** What an observer asks of a run. @param key null to stop */
    record Request(String stop, String key, String value) {}

    Path status() {
        return folder.resolve("status.json");
    }

    Path metrics() {
        return folder.resolve("metrics.jsonl");
    }

    Path recipe() {
        return folder.resolve("recipe.json");
    }

    Path checkpoints() {
        return folder.resolve("checkpoints");
    }

    private Path requests() {
        return folder.resolve("requests");
    }

    static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** This process as {@code pid@host}. */
    static String thisProcess() {
        return ManagementFactory.getRuntimeMXBean().getName();
    }

    static String hostOf(String process) {
        return process.substring(process.indexOf('@') + 1);
    }

    static long pidOf(String process) {
        return Long.parseLong(process.substring(0, process.indexOf('@')));
    }

    static long startOf(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }

    /** One line for any value. */
    static String line(Object value) {
        return Json.write(value).replaceAll("\\s*\\R\\s*", " ") + "\n";
    }

    /** Writes a status so that readers find the old or the new one; not brought to the disk, since the next one comes soon. */
    void heartbeat(RunStatus status) throws IOException {
        Path next = folder.resolve("status.json.new");
        Files.writeString(next, Json.write(status) + "\n");
        Files.move(next, status(), StandardCopyOption.ATOMIC_MOVE);
    }

    Optional<RunStatus> readStatus() {
        return Files.isRegularFile(status()) ? Optional.of(Json.read(status(), RunStatus.class)) : Optional.empty();
    }

    void ask(Request request) {
        AtomicFile.write(
                requests()
                        .resolve(System.nanoTime() + "-"
                                + ProcessHandle.current().pid() + REQUEST),
                Json.write(request));
    }

    /** Takes the requests that have come, in order. */
    List<Request> takeRequests() throws IOException {
        if (!Files.isDirectory(requests())) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(requests())) {
            return entries.filter(file -> file.toString().endsWith(REQUEST))
                    .sorted()
                    .map(RunFiles::take)
                    .toList();
        }
    }

    private static Request take(Path file) {
        Request request = Json.read(file, Request.class);
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be removed: " + e.getMessage(), e);
        }
        return request;
    }
}
