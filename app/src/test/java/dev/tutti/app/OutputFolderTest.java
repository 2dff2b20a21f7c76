package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The folder of a run: what is in it belongs to one job, and a finished model is not lost by accident. */
@Timeout(60)
class OutputFolderTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();
    private Path run;
    private String job;

    @BeforeEach
    void writeJob() throws IOException {
        run = folder.resolve("run");
        job = SmallJob.write(folder).toString();
    }

    @Test
    void aPrintedJobHasNoNameAndNoOutput() throws IOException {
        assertThat(terminal.run("train", "mnist", "--print-job")).isZero();
        Path copy = Files.writeString(folder.resolve("digits.yaml"), terminal.out());
        assertThat(copy)
                .content()
                .contains("# Handwritten digits", "data: mnist")
                .doesNotContain("output:", "name:");
        assertThat(terminal.run("train", copy.toString(), "--print-job", "--json"))
                .isZero();
        assertThat(terminal.json().path("job").has("output")).isFalse();

        Path flow =
                Files.writeString(folder.resolve("flow.json"), "{\"name\": \"a\", \"output\": \"b\", \"epochs\": 3}");
        assertThat(terminal.run("train", flow.toString(), "--print-job")).isZero();
        assertThat(terminal.out()).isEqualTo("epochs: 3\n");
    }

    @Test
    void aFinishedModelOfOtherSettingsIsSetAside() throws IOException {
        assertThat(terminal.run("train", job)).as(terminal.err()).isZero();
        assertThat(terminal.run("train", job, "--threads", "1")).isZero();
        assertThat(run.resolve("earlier-1"))
                .as("the same job again replaces its model")
                .doesNotExist();
        byte[] weights = Files.readAllBytes(run.resolve("model/weights.safetensors"));

        assertThat(terminal.run("train", job, "--learning-rate", "0.1")).isZero();
        assertThat(terminal.out()).contains("is kept in " + run.resolve("earlier-1"));
        assertThat(run.resolve("earlier-1/model/weights.safetensors")).hasBinaryContent(weights);
        assertThat(terminal.run("evaluate", run.resolve("earlier-1").toString(), "--take", "10"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.run("train", job, "--learning-rate", "0.2")).isZero();
        assertThat(run.resolve("earlier-2/model")).isDirectory();
        assertThat(run.resolve("earlier-1/model/weights.safetensors")).hasBinaryContent(weights);
    }

    @Test
    void twoRunsDoNotShareAFolder() throws Exception {
        Process first = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "train",
                        job,
                        "--epochs",
                        "10000")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("first.log").toFile())
                .start();
        try {
            while (!Files.exists(run.resolve("job.yaml")) && first.isAlive()) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(terminal.run("train", job)).isEqualTo(6);
            assertThat(terminal.err())
                    .isEqualTo(run + ": is in use by another run (process " + first.pid()
                            + "): wait until it has ended, or choose another folder with --output\n");
        } finally {
            first.destroyForcibly().waitFor();
        }
        Path left = Files.writeString(run.resolve(".job.yaml.0badcafe.tmp"), "cut off");
        Files.createDirectories(run.resolve("checkpoints"));
        Path half = Files.writeString(run.resolve("checkpoints/.step-000000001.safetensors.0badcafe.tmp"), "cut off");
        assertThat(terminal.run("train", job, "--resume", "--epochs", "1"))
                .as("the lock ends with its process: " + terminal.err())
                .isZero();
        assertThat(left).as("what a killed writer left").doesNotExist();
        assertThat(half).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: ../../elsewhere | name: expected a name",
                "name: a/b | name: expected a name",
                "name: .. | name: expected a name",
                "checkpoints: {folder: ../elsewhere} | folder: expected a path without '..'",
                "callbacks: [{type: csv, file: a/../../b.csv}] | file: expected a path without '..'"
            })
    void namesAndOutputsStayInTheirFolder(String line, String message) throws IOException {
        Files.writeString(Path.of(job), SmallJob.yaml(run) + line + "\n");
        assertThat(terminal.run("train", job)).isEqualTo(3);
        assertThat(terminal.err()).startsWith(job + ":14:").contains(message);
        assertThat(run).doesNotExist();
    }

    @Test
    void anOutputMayLeaveItsFolderOnTheCommandLineOnly() throws IOException {
        Files.writeString(Path.of(job), SmallJob.yaml(folder.resolve("sub/../run")));
        assertThat(terminal.run("train", job)).isEqualTo(3);
        assertThat(terminal.err()).contains("output: expected a path without '..'");
        Files.createDirectories(folder.resolve("sub"));
        assertThat(terminal.run(
                        "train", job, "--output", folder.resolve("sub/../run").toString()))
                .as(terminal.err())
                .isZero();
    }

    @Test
    @Timeout(20)
    void whatIsNoFileIsRefusedAtOnce() throws Exception {
        Path pipe = folder.resolve("pipe.yaml");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        for (String[] command : List.of(
                new String[] {"train", pipe.toString()},
                new String[] {"train", job, "--set", "model=" + pipe},
                new String[] {"train", job, "--set", "data=" + pipe},
                new String[] {
                    "train", job, "--set", "data.train.source={type: idx, images: " + pipe + ", labels: " + pipe + "}"
                })) {
            assertThat(terminal.run(command)).as(String.join(" ", command)).isIn(3, 4);
            assertThat(terminal.err())
                    .contains("is a named pipe, a socket or a device: expected a file")
                    .hasLineCount(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "model.layers.1.units=2147483647 | the model has 1,707,249,499,375 parameters",
                "threads=100000 | threads: expected from 1 to ",
                "cluster={type: threads, workers: 100000} | threads: expected from 1 to ",
                "cluster={type: processes, members: 100000} | members: expected at most ",
                "cluster={type: processes, members: 2, threads: 100000} | threads: expected from 1 to "
            })
    void absurdSizesAreRefusedInASentence(String setting, String message) {
        assertThat(terminal.run("train", job, "--set", setting)).isEqualTo(3);
        assertThat(terminal.err()).contains(message).hasLineCount(1);
        assertThat(run).doesNotExist();
    }

    @Test
    void whatIsMissingHasOneExitCode() {
        String nothing = folder.resolve("nothing").toString();
        for (List<String> command : List.of(
                List.of("train", nothing + ".yaml"),
                List.of("train", job, "--set", "data=" + nothing + ".yaml"),
                List.of("train", job, "--set", "model=" + nothing + ".yaml"),
                List.of("train", job, "--set", "model=" + nothing),
                List.of("parity", nothing + ".yaml"),
                List.of("evaluate", nothing),
                List.of("predict", nothing, "x.json"),
                List.of("export", nothing, "--output", nothing + ".pt"),
                List.of("summary", nothing),
                List.of("status", nothing),
                List.of("configure", nothing, "learningRate=1"))) {
            assertThat(terminal.run(command.toArray(String[]::new)))
                    .as(String.join(" ", command) + ": " + terminal.err())
                    .isEqualTo(4);
            assertThat(terminal.err()).contains(nothing).hasLineCount(1);
        }
    }

    /** Names as writers give them, which are killed before they could give the file its own. */
    @Test
    void whatAKilledWriterLeftIsSweptAndNothingElse() throws IOException {
        Path checkpoints = Files.createDirectories(run.resolve("checkpoints"));
        Path half = Files.write(checkpoints.resolve(".step-5.safetensors.0a1b2c3d.tmp"), new byte[1000]);
        Path model = Files.createDirectories(run.resolve(".model.0a1b2c3d.tmp"));
        Files.writeString(model.resolve("weights.safetensors"), "half");
        Path own = Files.writeString(run.resolve("notes.tmp"), "the user's own");
        assertThat(terminal.run("train", job)).as(terminal.err()).isZero();
        assertThat(half).doesNotExist();
        assertThat(model).doesNotExist();
        assertThat(own).exists();
        assertThat(run.resolve("model")).isDirectory();
    }

    @Test
    void aTruncatedOnlyCheckpointIsNotFollowedByAPromise() throws IOException {
        assertThat(terminal.run("train", job)).isZero();
        Path checkpoints = run.resolve("checkpoints");
        try (Stream<Path> files = Files.list(checkpoints)) {
            for (Path file : files.toList()) {
                Files.write(file, new byte[] {1, 2, 3});
            }
        }
        assertThat(terminal.run("train", job, "--resume", "--epochs", "2"))
                .as("no sound checkpoint: it does not begin anew in silence")
                .isEqualTo(6);
        assertThat(terminal.err())
                .contains(checkpoints + ": no checkpoint in it is sound", "begin anew without resuming");
        assertThat(run.resolve("model")).isDirectory();
    }

    @Test
    void internalTypesAreNotOffered() {
        assertThat(terminal.run("train", job, "--set", "data.train.source=zzzzzzzz"))
                .isEqualTo(3);
        assertThat(terminal.err()).contains("mnist").doesNotContain("benchRandom");
        assertThat(terminal.run("train", job, "--set", "features=[zzzzzzzz]")).isEqualTo(3);
        assertThat(terminal.err()).contains("normalize").doesNotContain("flaw");
    }
}
