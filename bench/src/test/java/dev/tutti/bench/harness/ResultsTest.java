package dev.tutti.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.bench.process.ProcessCommand;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
    @TempDir
    Path folder;

    @Test
    void resultsSurviveTheirFile() {
        ResultsFolder results = new ResultsFolder(folder.resolve("results"));
        results.write(example());
        assertThat(results.read("engine")).isEqualTo(example());
    }

    @Test
    void nothingIsLeftBesideTheTwoFiles() throws Exception {
        new ResultsFolder(folder).write(example());
        new ResultsFolder(folder).write(example());
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("engine.json", "engine.md");
        }
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "in the way");
        assertThatThrownBy(() -> new ResultsFolder(file).write(example()))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("could not be written to " + file);
    }

    @Test
    void failuresAndMissedTargetsAreFound() {
        assertThat(example().failures()).extracting(ResultRow::peer).containsExactly("Broken");
        assertThat(example().missed()).extracting(ResultRow::peer).containsExactly("TensorFlow", "Broken");
    }

    @Test
    void thePageReadsLikeThis() throws Exception {
        try (InputStream golden = ResultsTest.class.getResourceAsStream("engine.md")) {
            assertThat(Markdown.of(example())).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void theSentenceSaysWhetherTheTargetWasMet() {
        assertThat(example().rows())
                .extracting(ResultRow::sentence)
                .containsExactly(
                        "beside PyTorch: 4,400 to 2,200 samples/s, ratio 2.00 (1.95–2.05), target 1.7: met",
                        "beside TensorFlow: 4,400 to 5,000 samples/s, ratio 0.88 (0.86–0.90), target 1.0: NOT met",
                        "beside Broken: FAILED. Broken gave no answer within 60 s.",
                        "beside PyTorch: 1.50 to 3.00 s, ratio 2.00 (2.00–2.00)");
    }

    private static Results example() {
        Entrant ours = new Entrant("Tutti", ProcessCommand.of("java", "Ours"), new Entrant.Throughput("cnn"));
        Comparison torch = comparison("PyTorch", Optional.of(RequiredValue.ratio(1.7)));
        Comparison tensorflow = comparison("TensorFlow", Optional.of(RequiredValue.ratio(1)));
        Comparison broken = comparison("Broken", Optional.of(RequiredValue.ratio(1)));
        Race race = new Race("CNN", Cores.ALL, ours, List.of(torch, tensorflow, broken));
        Comparison time = new Comparison(Measure.wallTime("first step"), torch.peer(), Optional.empty());
        Race start = new Race("start", Cores.ALL, ours, List.of(time));
        MeasurementSummary speed = MeasurementSummary.of(List.of(4400.0, 4300.0, 4500.0));
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("tutti", "0.1.0");
        versions.put("torch", "2.15.0");
        return new Results(
                "engine",
                "Training steps.",
                "./tutti bench engine",
                "2026-02-03T04:05:06Z",
                false,
                3,
                new Machine(2, "Some CPU", 7.8, "Linux 6.1", true),
                versions,
                List.of(
                        ResultRow.measured(
                                race,
                                torch,
                                Plan.full(),
                                speed,
                                MeasurementSummary.of(List.of(2200.0, 2200.0, 2195.0))),
                        ResultRow.measured(
                                race,
                                tensorflow,
                                Plan.full(),
                                speed,
                                MeasurementSummary.of(List.of(5000.0, 5000.0, 5000.0))),
                        ResultRow.failed(race, broken, Plan.full(), speed, null, "Broken gave no answer within 60 s."),
                        ResultRow.measured(
                                start,
                                time,
                                Plan.full(),
                                MeasurementSummary.of(List.of(1.5, 1.5, 1.5)),
                                MeasurementSummary.of(List.of(3.0, 3.0, 3.0)))));
    }

    private static Comparison comparison(String peer, Optional<RequiredValue> target) {
        Entrant entrant = new Entrant(peer, ProcessCommand.of("python", peer + ".py"), new Entrant.Throughput("cnn"));
        return new Comparison(Measure.samplesPerSecond(), entrant, target);
    }
}
