package dev.tutti.jobs.learn;

import dev.tutti.array.NdArray;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The folder of one model: its examples, arrays or rows of a table, with the state of its learning. */
final class ModelExamples {
    private final Path folder;
    private final ArrayExamples arrays;
    private final TableExamples rows;

    ModelExamples(Path folder, int heldOutEvery) {
        this.folder = folder;
        arrays = new ArrayExamples(folder, heldOutEvery);
        rows = new TableExamples(folder, heldOutEvery);
    }

    Path folder() {
        return folder;
    }

    LearningState state() {
        Path file = folder.resolve("state.json");
        return Files.isRegularFile(file) ? Json.read(file, LearningState.class) : LearningState.NEW;
    }

    void write(LearningState state) {
        AtomicFile.write(folder.resolve("state.json"), Json.write(state) + "\n");
    }

    /** Those that are there. */
    ExampleStore store() {
        return rows.exist() ? rows : arrays;
    }

    void add(List<NdArray> features, NdArray labels) {
        if (rows.exist()) {
            throw ServeException.invalid("the examples before were rows with named columns: expected such rows");
        }
        createFolder();
        arrays.add(features, labels);
    }

    void addRows(List<Map<String, Object>> examples) {
        if (arrays.count() + arrays.heldOutCount() > 0) {
            throw ServeException.invalid("the examples before were arrays: expected lists of numbers");
        }
        createFolder();
        rows.add(examples);
    }

    private void createFolder() {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new FileException(folder.toString(), "cannot be made: " + e.getMessage());
        }
    }
}
