package dev.tutti.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.train.History;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        assertThat(history.last().validation().get("accuracy")).isGreaterThan(0.7);
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
    void fineTune() {
        Path exported = folder.resolve("fine-tuned.pt");
        History history = FineTune.run(out, Path.of("python/body.pt"), 1_500, exported);
        assertThat(history.last().validation().get("accuracy")).isGreaterThan(0.85);
        assertThat(exported).isNotEmptyFile();
    }

    @Test
    void manyProcesses() {
        History history = ManyProcesses.run(out, 2, 3_200, folder);
        assertThat(history.last().validation().get("accuracy")).isGreaterThan(0.6);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("worker-0").contains("worker-1");
        assertThat(folder.resolve("model/weights.safetensors")).exists();
    }
}
