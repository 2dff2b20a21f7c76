package dev.tutti.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.app.SmallJob;
import dev.tutti.app.Terminal;
import dev.tutti.io.TorchScriptFile;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A TorchScript file is a program: it does not run unless Tutti wrote it or the user said so. */
class ScriptTrustTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    private String usual;

    @BeforeEach
    void useAListOfTheTest() {
        usual = System.getProperty(ScriptTrust.FILE);
        System.setProperty(ScriptTrust.FILE, folder.resolve("state/trusted").toString());
    }

    @AfterEach
    void leaveTheListAlone() {
        System.setProperty(ScriptTrust.FILE, usual);
    }

    @Test
    void aStrangersScriptNeedsTrustOnce() throws IOException {
        Path script = folder.resolve("stranger.pt");
        try (Model model = Model.of(Sequential.of(Layers.flatten(), Layers.dense(10)), Input.of(1, 28, 28))) {
            TorchScriptFile.write(model, script); // by the library, so the command has not written it
        }
        Path job = folder.resolve("job.yaml");
        Files.writeString(
                job,
                SmallJob.yaml(folder.resolve("run"))
                        .replaceAll("layers: .*", "layers: [{type: torchScript, file: " + script + "}]"));
        String[] train = {"train", job.toString()};
        assertThat(terminal.run(train)).isEqualTo(2);
        assertThat(terminal.err())
                .startsWith(script + ": is a TorchScript file")
                .contains("--trust");
        assertThat(terminal.run("summary", job.toString())).isEqualTo(2);

        assertThat(terminal.run("train", job.toString(), "--trust"))
                .as(terminal.err())
                .isZero();
        String run = folder.resolve("run").toString();
        assertThat(terminal.run("evaluate", run, "--take", "10"))
                .as("it is remembered, also in the saved model: " + terminal.err())
                .isZero();

        Files.delete(folder.resolve("state/trusted"));
        assertThat(terminal.run("evaluate", run)).isEqualTo(2);
        assertThat(terminal.err()).contains("module1.pt: is a TorchScript file");
        assertThat(terminal.run("summary", run)).isEqualTo(2);
        assertThat(terminal.run(
                        "export", run, "--output", folder.resolve("x.pt").toString()))
                .isEqualTo(2);
    }

    @Test
    void whatTuttiHasExportedItselfNeedsNone() throws IOException {
        Path job = SmallJob.write(folder);
        assertThat(terminal.run("train", job.toString())).isZero();
        String script = folder.resolve("own.pt").toString();
        assertThat(terminal.run("export", folder.resolve("run").toString(), "--output", script))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.run(
                        "train",
                        job.toString(),
                        "--set",
                        "model={type: torchScript, file: " + script + "}",
                        "--output",
                        folder.resolve("more").toString()))
                .as(terminal.err())
                .isZero();
        assertThat(folder.resolve("more/model/module1.pt")).isRegularFile();
    }
}
