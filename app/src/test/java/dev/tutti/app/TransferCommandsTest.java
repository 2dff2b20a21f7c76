package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models from elsewhere, heads on trained models, adapters, several tasks and tuning, as a user calls them. */
class TransferCommandsTest {
    private static final Path BERT = Path.of("..", "transfer", "src", "test", "resources", "huggingface", "bert");

    /** Digits 0 to 4 are known; the other ones are new. */
    private static final String NEW_DIGITS = """
            data:
              train:
                source: mnist
                stages:
                  - {type: take, count: 1024}
                  - {type: filter, filter: {type: labels, classes: [5, 6, 7, 8, 9]}}
                  - {type: map, transform: {type: relabel, classes: [0, 0, 0, 0, 0, 0, 1, 2, 3, 4]}}
                  - cache
            model:
              base: %s
              until: dense1
              head: [{type: dense, units: 5}]
            loss: softmaxCrossEntropy
            optimizer: {type: adam, learningRate: 0.01}
            metrics: [accuracy]
            batch: 32
            epochs: 2
            seed: 3
            output: %s
            """;

    @TempDir
    private static Path folder;

    private static String digits;

    private final Terminal terminal = new Terminal();

    @BeforeAll
    static void train() throws IOException {
        Path job = SmallJob.write(folder);
        Terminal first = new Terminal();
        assertThat(first.run("train", job.toString(), "--epochs", "2", "--json"))
                .as(first.err())
                .isZero();
        digits = folder.resolve("run").toString();
    }

    private Path newDigits(String name) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), NEW_DIGITS.formatted(digits, folder.resolve(name)));
    }

    @Test
    void aHeadLearnsOnAFrozenModelOnSeveralMembers() throws IOException {
        Path job = newDigits("head");
        assertThat(terminal.run("train", job.toString(), "--freeze", "encoder*", "--processes", "2", "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode answer = terminal.json();
        assertThat(answer.path("accuracy").asDouble()).isGreaterThan(0.5);
        assertThat(answer.path("learning").asLong()).isEqualTo(16 * 5 + 5);
        assertThat(answer.path("adopted").get(0).asText()).contains("2 taken", "2 new");
        assertThat(terminal.err()).contains("parameters learn");
    }

    @Test
    void aCachedTrunkGivesTheSameModel() throws IOException {
        Path plain = newDigits("plain");
        Path cached = newDigits("cached");
        assertThat(terminal.run("train", plain.toString(), "--freeze", "encoder*", "--json"))
                .as(terminal.err())
                .isZero();
        double loss = terminal.json().path("loss").asDouble();
        assertThat(terminal.run("train", cached.toString(), "--freeze", "encoder*", "--cache-trunk", "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().path("loss").asDouble())
                .isCloseTo(loss, org.assertj.core.api.Assertions.within(1e-3));
        assertThat(terminal.run("evaluate", folder.resolve("cached").toString(), "--json"))
                .as(terminal.err())
                .isZero();
    }

    @Test
    void adaptersAreSavedAlone() throws IOException {
        Path job = newDigits("adapters");
        assertThat(terminal.run(
                        "train",
                        job.toString(),
                        "--from",
                        digits,
                        "--output",
                        folder.resolve("adapters").toString(),
                        "--lora",
                        "2",
                        "--json"))
                .as(terminal.err())
                .isZero();
        Path adapter = Path.of(terminal.json().path("adapter").asText());
        assertThat(Files.size(adapter))
                .isLessThan(Files.size(folder.resolve("adapters/model/weights.safetensors")) / 4);
        Path onnx = folder.resolve("adapters.onnx");
        assertThat(terminal.run("export", folder.resolve("adapters").toString(), "--output", onnx.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(onnx).exists();
    }

    @Test
    void modelsComeFromElsewhereAndGoBack() {
        String imported = folder.resolve("bert").toString();
        assertThat(terminal.run("import", BERT.toString(), "--output", imported, "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().path("parameters").asLong()).isPositive();
        assertThat(terminal.run("summary", imported)).as(terminal.err()).isZero();
        Path back = folder.resolve("bert-back");
        assertThat(terminal.run("export", imported, "--format", "huggingface", "--output", back.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(back.resolve("model.safetensors")).exists();
    }

    @Test
    void onnxGoesOutAndComesBack() {
        String file = folder.resolve("digits.onnx").toString();
        String back = folder.resolve("digits-back").toString();
        assertThat(terminal.run("export", digits, "--output", file, "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().path("format").asText()).isEqualTo("onnx");
        assertThat(terminal.run("import", file, "--output", back))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.run("predict", back, "--data", "mnist", "--take", "5", "--json"))
                .as(terminal.err())
                .isZero();
    }

    @Test
    void threeTasksTrainOnTwoMembersAsOnOne() throws IOException {
        String parity = "{type: map, transform: {type: relabel, classes: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]}}";
        String size = "{type: map, transform: {type: relabel, classes: [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]}}";
        String task =
                "{data: {train: {source: mnist, stages: [{type: take, count: %d}%s]}}, loss: softmaxCrossEntropy, metrics: accuracy}";
        Path job = Files.writeString(folder.resolve("tasks.yaml"), """
                model:
                  type: graph
                  inputs: [image]
                  nodes:
                    - {name: flat, layer: flatten, from: [image]}
                    - {name: trunk, layer: {type: dense, units: 24, activation: relu}, from: [flat]}
                    - {name: digit, layer: {type: dense, units: 10}, from: [trunk]}
                    - {name: odd, layer: {type: dense, units: 2}, from: [trunk]}
                    - {name: large, layer: {type: dense, units: 2}, from: [trunk]}
                  outputs: [digit, odd, large]
                tasks:
                  digit: %s
                  odd: %s
                  large: %s
                sampling: {temperature: 2}
                optimizer: {type: adam, learningRate: 0.005}
                batch: 64
                epochs: 2
                output: %s
                """.formatted(
                        task.formatted(1024, ""),
                        task.formatted(512, ", " + parity),
                        task.formatted(256, ", " + size),
                        folder.resolve("tasks")));
        assertThat(terminal.run("train", job.toString(), "--processes", "2", "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode answer = terminal.json();
        assertThat(answer.path("digit.accuracy").asDouble()).isGreaterThan(0.6);
        assertThat(answer.path("odd.accuracy").asDouble()).isGreaterThan(0.6);
        assertThat(answer.path("large.accuracy").asDouble()).isGreaterThan(0.55);
        assertThat(terminal.run("parity", job.toString(), "--workers", "2", "--steps", "10", "--json"))
                .as(terminal.err())
                .isZero();
        String placed = folder.resolve("placed").toString();
        assertThat(terminal.run(
                        "train",
                        job.toString(),
                        "--processes",
                        "2",
                        "--strategy",
                        "{type: placedTasks, everySteps: 4}",
                        "--output",
                        placed,
                        "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.err()).contains("at the end on");
        assertThat(terminal.json().path("digit.accuracy").asDouble()).isGreaterThan(0.6);
        assertThat(terminal.json().path("tasks"))
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.path("members")).isNotEmpty());
    }

    @Test
    void tuningFindsTheBestOfSomeTrials() throws IOException {
        Path job = Files.writeString(
                folder.resolve("tune.yaml"),
                SmallJob.yaml(folder.resolve("unused"))
                        .replaceAll("output: .*\n", "")
                        .replace("learningRate: 0.01", "learningRate: {log: [1e-4, 1e-1]}")
                        .replace("epochs: 1", "epochs: 3"));
        String output = folder.resolve("search").toString();
        assertThat(terminal.run("tune", job.toString(), "--trials", "4", "--output", output, "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode answer = terminal.json();
        assertThat(answer.path("trials")).hasSize(4);
        assertThat(answer.path("best").path("value").asDouble()).isGreaterThan(0.5);
        assertThat(terminal.run("evaluate", answer.path("model").asText(), "--json"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.json().path("accuracy").asDouble())
                .isEqualTo(answer.path("best").path("value").asDouble());
    }
}
