package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One small training run, and everything that can be done with its result. */
class ModelCommandsTest {
    private static final Path SAMPLES = Path.of("..", "datasets", "mnist", "samples");

    @TempDir
    private static Path folder;

    private static Path job;
    private static String run;
    private static JsonNode trained;

    private final Terminal terminal = new Terminal();

    @BeforeAll
    static void train() throws IOException {
        job = SmallJob.write(folder);
        run = folder.resolve("run").toString();
        Terminal first = new Terminal();
        assertThat(first.run("train", job.toString(), "--epochs", "3", "--json"))
                .as(first.err())
                .isZero();
        trained = first.json();
        assertThat(first.err()).contains("epoch 3/3", "./tutti evaluate " + run, "./tutti export " + run);
    }

    @Test
    void theResultIsOneObjectWithTheMetricsOnTop() throws IOException {
        assertThat(trained.path("ending").asText()).isEqualTo("completed");
        assertThat(trained.path("accuracy").asDouble()).isGreaterThan(0.6);
        assertThat(trained.path("loss").asDouble()).isPositive();
        assertThat(trained.path("epochs").asInt()).isEqualTo(3);
        assertThat(trained.path("steps").asInt()).isEqualTo(48);
        assertThat(trained.path("parameters").asInt()).isEqualTo(784 * 16 + 16 + 16 * 10 + 10);
        assertThat(trained.path("history")).hasSize(3);
        assertThat(Path.of(trained.path("model").asText(), "weights.safetensors"))
                .exists();
        assertThat(Files.readString(folder.resolve("run").resolve("job.yaml"))).contains("epochs: 3");
    }

    @Test
    void evaluateFindsTheDataByItselfAndAgreesWithTraining() {
        assertThat(terminal.run("evaluate", run)).as(terminal.err()).isZero();
        assertThat(terminal.out()).contains("256 rows", "accuracy", "actual \\ predicted");
        assertThat(terminal.run("evaluate", run, "--json")).isZero();
        assertThat(terminal.json().path("accuracy").asDouble())
                .isEqualTo(trained.path("accuracy").asDouble());
        assertThat(terminal.json().path("loss").asDouble())
                .isEqualTo(trained.path("loss").asDouble(), within(1e-9));
        assertThat(terminal.json().path("confusionMatrix")).hasSize(10);
    }

    @Test
    void evaluateOnOtherData() {
        assertThat(terminal.run("evaluate", run, "--data", "mnist", "--take", "100", "--json"))
                .isZero();
        assertThat(terminal.json().path("samples").asInt()).isEqualTo(100);
        assertThat(terminal.run("evaluate", run, "--data", "mnits")).isEqualTo(3);
        assertThat(terminal.err()).startsWith("unknown dataset 'mnits': did you mean 'mnist'?");
    }

    @Test
    void predictOnImagesPrintsATable() {
        String seven = SAMPLES.resolve("seven.png").toString();
        String zero = SAMPLES.resolve("zero.png").toString();
        assertThat(terminal.run("predict", run, seven, zero)).as(terminal.err()).isZero();
        assertThat(terminal.out().lines().toList())
                .hasSize(3)
                .satisfies(lines -> assertThat(lines.get(0)).contains("input", "class", "probability", "then"))
                .satisfies(lines -> assertThat(lines.get(1)).startsWith(seven + "  7"))
                .satisfies(lines -> assertThat(lines.get(2)).contains("zero.png"));
        assertThat(terminal.err()).isEmpty();
    }

    @Test
    void anImageGivesTheSameAsItsRowOfTheTestSet() {
        assertThat(terminal.run("predict", run, SAMPLES.resolve("seven.png").toString(), "--json"))
                .isZero();
        JsonNode image = terminal.json().path("predictions").path(0);
        assertThat(terminal.run("predict", run, "--data", "mnist", "--take", "1", "--json"))
                .isZero();
        JsonNode row = terminal.json().path("predictions").path(0);
        assertThat(row.path("actual").asText()).isEqualTo("7");
        assertThat(image.path("probabilities")).hasSize(10);
        for (int i = 0; i < 10; i++) {
            assertThat(image.path("probabilities").path(i).asDouble())
                    .isEqualTo(row.path("probabilities").path(i).asDouble(), within(1e-5));
        }
    }

    @Test
    void predictOnJson() throws IOException {
        String blank = Collections.nCopies(28, Collections.nCopies(28, 0)).toString();
        Path file = Files.writeString(folder.resolve("two.json"), "[" + blank + "," + blank + "]");
        assertThat(terminal.typed(blank).run("predict", run, file.toString(), "-", "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode predictions = terminal.json().path("predictions");
        assertThat(predictions).hasSize(3);
        assertThat(predictions.path(1).path("input").asText()).isEqualTo(file + " 1");
        assertThat(predictions.path(2).path("input").asText()).isEqualTo("standard input");
        assertThat(predictions.path(0).path("probabilities"))
                .isEqualTo(predictions.path(2).path("probabilities"));
        assertThat(predictions.path(0).path("top")).hasSize(3);
    }

    @Test
    void inputsThatDoNotFitAreNamed() throws IOException {
        assertThat(terminal.typed("[[1, 2], [3, 4]]").run("predict", run, "-")).isEqualTo(4);
        assertThat(terminal.err())
                .isEqualTo(
                        "standard input: expected numbers of shape [1, 28, 28] or a list of such, received shape [2, 2]\n");
        assertThat(terminal.typed("[[1, 2], [3]]").run("predict", run, "-")).isEqualTo(4);
        assertThat(terminal.err()).startsWith("standard input: rows of different lengths");
        assertThat(terminal.typed("{\"a\": 1}").run("predict", run, "-")).isEqualTo(4);
        assertThat(terminal.err()).isEqualTo("standard input: expected lists of numbers, received object\n");
        assertThat(terminal.typed("[1, ").run("predict", run, "-")).isEqualTo(4);
        assertThat(terminal.err()).startsWith("standard input: is not JSON: line 1");
        assertThat(terminal.run("predict", run, "nowhere.png")).isEqualTo(4);
        assertThat(terminal.err()).isEqualTo("nowhere.png: there is no such file\n");
        assertThat(terminal.run("predict", run, job.toString())).isEqualTo(4);
        assertThat(terminal.err()).startsWith(job + ": is no image that can be read");
    }

    @Test
    void darkInkOnPaperIsPointedOut() {
        String paper = SAMPLES.resolve("four-on-paper.png").toString();
        assertThat(terminal.run("predict", run, paper)).isZero();
        assertThat(terminal.err()).contains("needs --invert");
        assertThat(terminal.run("predict", run, paper, "--invert", "--json")).isZero();
        assertThat(terminal.err()).doesNotContain("--invert");
    }

    @Test
    void summaryOfAJobAndOfAModel() {
        assertThat(terminal.run("summary", job.toString())).as(terminal.err()).isZero();
        assertThat(terminal.out()).contains("dense1 relu", "12,730 parameters");
        assertThat(terminal.run("summary", run, "--json")).isZero();
        assertThat(terminal.json().path("parameters").asInt()).isEqualTo(12730);
    }

    @Test
    void exportWritesFilesForPython() {
        Path script = folder.resolve("digits.pt");
        assertThat(terminal.run("export", run, "--output", script.toString()))
                .as(terminal.err())
                .isZero();
        assertThat(script).isNotEmptyFile();
        assertThat(terminal.out()).contains("torch.jit.load");
        Path weights = folder.resolve("digits.safetensors");
        assertThat(terminal.run("export", run, "--output", weights.toString(), "--json"))
                .isZero();
        assertThat(weights).isNotEmptyFile();
        assertThat(terminal.json().path("format").asText()).isEqualTo("safetensors");
    }

    @Test
    void aFolderWithoutAModelIsNoModel() {
        assertThat(terminal.run("evaluate", folder.toString())).isEqualTo(4);
        assertThat(terminal.err()).isEqualTo(folder + ": is not a saved model: there is no model.json in it\n");
        assertThat(terminal.run("evaluate", folder.resolve("nothing").toString()))
                .isEqualTo(4);
    }

    @Test
    void aModelCanLearnOn() {
        Path more = folder.resolve("more");
        assertThat(terminal.run(
                        "train", job.toString(), "--set", "model=" + run, "--output", more.toString(), "--json"))
                .as(terminal.err())
                .isZero();
        JsonNode first = terminal.json().path("history").path(0).path("training");
        JsonNode fromScratch = trained.path("history").path(0).path("training");
        assertThat(first.path("loss").asDouble())
                .isLessThan(fromScratch.path("loss").asDouble() / 2);
    }
}
