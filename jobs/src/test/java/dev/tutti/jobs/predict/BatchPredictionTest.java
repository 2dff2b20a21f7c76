package dev.tutti.jobs.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.jobs.SavedSmallModels;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.train.Predictor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class BatchPredictionTest {
    private static final int ROWS = 1_500;
    private static final int PART = 100;

    @TempDir
    Path folder;

    private final Dataset data = Mnist.test().take(ROWS);

    /** What one thread comes to, row by row. */
    private List<String> expected(Path model) {
        List<String> lines = new ArrayList<>(List.of("row,class"));
        try (Predictor predictor = Predictor.load(model)) {
            NdArray outputs = predictor.predict(data);
            for (int row = 0; row < ROWS; row++) {
                int best = 0;
                for (int i = 1; i < 10; i++) {
                    best = outputs.at(row * 10 + i) > outputs.at(row * 10 + best) ? i : best;
                }
                lines.add(row + "," + best);
            }
        }
        return lines;
    }

    private static List<String> classes(Path file) throws Exception {
        return Files.readAllLines(file).stream()
                .map(line -> line.substring(0, line.lastIndexOf(',')))
                .toList();
    }

    @Test
    void aKilledProcessAndAStopLeaveEachRowOnceAndInOrder() throws Exception {
        Path model = SavedSmallModels.writeDigits(folder.resolve("model"));
        Path output = folder.resolve("digits.csv");
        BatchPrediction prediction =
                BatchPrediction.of(model, data).processes(2).partRows(PART);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger killed = new AtomicInteger();
        OptionalLong stopped = prediction
                .until(stop::get)
                .progress(parts -> {
                    if (parts >= 2 && killed.get() == 0) {
                        ProcessHandle.current()
                                .children()
                                .filter(child -> killed.get() == 0)
                                .filter(child ->
                                        child.info().commandLine().orElse("").contains("predict-"))
                                .forEach(child -> killed.addAndGet(child.destroyForcibly() ? 1 : 0));
                    }
                    stop.set(parts >= 5);
                })
                .write(output);
        assertThat(killed.get()).as("a process was killed").isEqualTo(1);
        assertThat(stopped).isEmpty();
        assertThat(output).doesNotExist();
        assertThatThrownBy(() ->
                        BatchPrediction.of(model, data.take(7)).partRows(PART).write(output))
                .hasMessageContaining("parts of another prediction");

        Path first = folder.resolve("digits.csv.parts/part-0");
        var written = Files.getLastModifiedTime(first);
        AtomicBoolean kept = new AtomicBoolean();
        OptionalLong rows = prediction
                .progress(parts -> {
                    try {
                        kept.set(kept.get() || Files.getLastModifiedTime(first).equals(written));
                    } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                })
                .write(output);
        assertThat(kept.get()).as("a part that was done is not computed again").isTrue();
        assertThat(rows).hasValue(ROWS);
        assertThat(classes(output)).isEqualTo(expected(model));
        assertThat(folder.resolve("digits.csv.parts")).doesNotExist();
    }

    @Test
    void theLastPartMayBeShorterAndLinesMayBeJson() throws Exception {
        Path model = SavedSmallModels.writeDigits(folder.resolve("model"));
        Path output = folder.resolve("digits.jsonl");
        OptionalLong rows =
                BatchPrediction.of(model, Mnist.test().take(250)).partRows(PART).write(output);
        assertThat(rows).hasValue(250);
        List<String> lines = Files.readAllLines(output);
        assertThat(lines).hasSize(250);
        assertThat(lines.get(249)).startsWith("{\"row\":249,\"class\":\"").endsWith("]}");
    }

    @Test
    void whatIsWrongWithTheModelIsSaid() {
        assertThatThrownBy(
                        () -> BatchPrediction.of(folder.resolve("none"), data).write(folder.resolve("a.csv")))
                .hasMessageContaining("does not exist");
        assertThatThrownBy(
                        () -> BatchPrediction.of(folder.resolve("none"), data).write(folder.resolve("a.txt")))
                .hasMessageContaining(".csv or .jsonl");
    }

    @Test
    void everyProcessComputesInThePrecisionThatIsWanted() throws Exception {
        Path model = SavedSmallModels.writeDigits(folder.resolve("model"));
        ComputePrecision bf16 = ComputePrecision.BF16.everywhere();
        Path plain = folder.resolve("float32.jsonl");
        Path rounded = folder.resolve("bf16.jsonl");
        BatchPrediction prediction =
                BatchPrediction.of(model, Mnist.test().take(40)).partRows(20).processes(2);
        prediction.write(plain);
        prediction.precision(bf16).write(rounded);
        assertThat(Files.readAllLines(rounded)).hasSize(40).isNotEqualTo(Files.readAllLines(plain));
        // a process alone comes to the same, so both have computed in bf16
        Path alone = folder.resolve("alone.jsonl");
        prediction.processes(1).precision(bf16).write(alone);
        assertThat(Files.readAllLines(alone)).isEqualTo(Files.readAllLines(rounded));
    }
}
