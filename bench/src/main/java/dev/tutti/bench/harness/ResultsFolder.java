package dev.tutti.bench.harness;

import dev.tutti.TuttiException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The folder of results: one JSON file and one page of each benchmark, each whole or not there at all. */
public record ResultsFolder(Path folder) {
    /** Writes both and gives the path of the page. */
    public Path write(Results results) {
        return write(results.benchmark(), results, Markdown.of(results));
    }

    /** Writes a benchmark's findings in any form, and returns the path of the page. */
    public Path write(String benchmark, Object findings, String page) {
        Path file = folder.resolve(benchmark + ".md");
        try {
            Files.createDirectories(folder);
            replace(folder.resolve(benchmark + ".json"), Json.write(findings) + "\n");
            replace(file, page);
        } catch (IOException e) {
            throw new TuttiException("The results could not be written to " + folder + ": " + e.getMessage(), e);
        }
        return file;
    }

    /** Reads what an earlier run wrote. */
    public Results read(String benchmark) {
        return Json.read(folder.resolve(benchmark + ".json"), Results.class);
    }

    private void replace(Path file, String text) throws IOException {
        Path beside = folder.resolve("." + file.getFileName() + ".part");
        try {
            Files.writeString(beside, text);
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }
}
