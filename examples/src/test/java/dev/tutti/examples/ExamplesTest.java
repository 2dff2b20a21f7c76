package dev.tutti.examples;

import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.train.Evaluation;
import dev.tutti.train.History;
import dev.tutti.train.replica.Strategy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples run and learn; on less data than when run by hand. */
class ExamplesTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void digits() {
        History history = Digits.run(out, 6_400, 1, folder.resolve("digits"));
        assertThat(history.last().measured().get("accuracy")).isGreaterThan(0.7);
        assertThat(folder.resolve("digits/weights.safetensors")).exists();
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("421,642 parameters");
    }

    @Test
    void nextCharacter() {
        String text = "the quick brown fox jumps over the lazy dog and back again. ".repeat(30);
        History history = NextCharacter.run(out, text, 4);
        assertThat(history.last().training().loss()).isLessThan(0.5);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("the quick brown");
    }

    @Test
    void gptLearnsTheSameWholeAndCutInTwo() {
        String text = "the quick brown fox jumps over the lazy dog and back again. ".repeat(12);
        History whole = Gpt.run(out, text, "whole", 2);
        History cut = Gpt.run(out, text, "pipeline", 2);
        assertThat(cut.last().training().loss())
                .isCloseTo(whole.last().training().loss(), org.assertj.core.api.Assertions.within(1e-3));
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("the quick brown");
    }

    @Test
    void fineTune() {
        Path exported = folder.resolve("fine-tuned.pt");
        History history = FineTune.run(out, Path.of("python/body.pt"), 1_500, exported);
        assertThat(history.last().measured().get("accuracy")).isGreaterThan(0.85);
        assertThat(exported).isNotEmptyFile();
    }

    /** Better than biases alone can be, and near the noise that ratings were made with. */
    @Test
    void recommend() {
        Evaluation result = Recommend.run(out, "", epochs(12).with(Strategy.local()));
        assertThat(result.get("rmse")).isBetween(RatingTable.NOISE, RatingTable.NOISE * 1.12);
        assertThat(RatingTable.BIASES_ALONE).isGreaterThan(RatingTable.NOISE * 1.4);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("900 rows of 12 numbers in userTaste");
    }

    @Test
    void recommendReadsBothFormatsOfMovieLens() throws IOException {
        Path data = folder.resolve("u.data");
        Path csv = folder.resolve("ratings.csv");
        StringBuilder tabs = new StringBuilder();
        StringBuilder commas = new StringBuilder("userId,movieId,rating,timestamp\n");
        RatingTable made = RatingTable.made(3);
        Stream.concat(made.training().stream().limit(2000), made.test().stream().limit(200))
                .forEach(each -> {
                    tabs.append(each.user() + "\t" + each.item() + "\t" + each.stars() + "\t881250949\n");
                    commas.append(each.user() + "," + each.item() + "," + each.stars() + ",881250949\n");
                });
        Files.writeString(data, tabs);
        Files.writeString(csv, commas);
        assertThat(RatingTable.read(data)).isEqualTo(RatingTable.read(csv));
        assertThat(RatingTable.read(folder).test()).isNotEmpty();
        Files.writeString(data, "1\t2\n");
        assertThatThrownBy(() -> RatingTable.read(data)).hasMessageContaining("line 1: expected user, item and rating");
    }

    @Test
    void clickThrough() {
        Evaluation result = ClickThrough.run(out, 40_000, epochs(2).with(Strategy.local()));
        assertThat(result.get("auc")).isGreaterThan(0.7);
    }

    @Test
    void manyProcesses() {
        History history = ManyProcesses.run(out, 2, 3_200, folder);
        assertThat(history.last().measured().get("accuracy")).isGreaterThan(0.6);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("worker-0").contains("worker-1");
        assertThat(folder.resolve("model/weights.safetensors")).exists();
    }

    @Test
    void federatedSpeakers() throws IOException {
        Path page = folder.resolve("speakers.html");
        Path text = Files.writeString(
                folder.resolve("play.txt"),
                "Ann:\n" + "to be or not ".repeat(30) + "\n\nBob:\n" + "all the world ".repeat(30) + "\n");
        FederatedSpeakers.run(out, Path.of(""), List.of(text.toString(), "2", page.toString()));
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("round 2").contains("2 speakers");
        assertThat(page).content().contains("<svg").contains("2 clients");
    }

    @Test
    void federatedTables() {
        FederatedTables.run(out, Path.of(""), List.of("2nn", "1"));
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("| 2NN | 100, iid | 0.1 | 1 | 10 | 0.97 | over 1 | 87 |");
        assertThatThrownBy(() -> FederatedTables.run(out, Path.of(""), List.of("3nn")))
                .hasMessageContaining("2nn, cnn, skew, poison");
    }

    @Test
    void wideTable() throws IOException {
        History history = WideTable.run(out, 20_000, folder);
        assertThat(history.epochs()).hasSize(1);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("20,000 rows of 100 columns")
                .contains("to read the table and fit its columns");
    }
}
