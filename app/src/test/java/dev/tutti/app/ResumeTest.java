package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is cut off in a process of its own and goes on gives the same bits as one that was left alone. */
class ResumeTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();
    private final List<Process> processes = new ArrayList<>();
    private Path job;

    @BeforeEach
    void writeJob() throws IOException {
        job = folder.resolve("job.yaml");
        Files.writeString(
                job,
                SmallJob.yaml(folder.resolve("run"))
                                .replace("count: 512", "count: 4096")
                                .replace("epochs: 1", "epochs: 10")
                        + "checkpoints: {everySteps: 20, keep: 2}\ncores: 1\n");
    }

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void interruptedAndResumedEqualsUninterrupted() throws Exception {
        Process process = train();
        awaitEpoch(process);
        signal("INT", process);
        String rest = rest(process);

        assertThat(process.waitFor()).as(rest).isEqualTo(130);
        assertThat(rest)
                .contains("Stopping after this step", "A checkpoint is in", "./tutti train " + job + " --resume");
        assertThat(folder.resolve("run/model")).doesNotExist();
        resumeAndCompare();
    }

    @Test
    void terminatedLeavesACheckpointToo() throws Exception {
        Process process = train();
        awaitEpoch(process);
        signal("TERM", process);
        String rest = rest(process);

        assertThat(process.waitFor()).as(rest).isEqualTo(130);
        assertThat(rest).contains("--resume");
    }

    @Test
    void killedAndResumedEqualsUninterrupted() throws Exception {
        Process process = train();
        awaitEpoch(process);
        process.destroyForcibly();
        assertThat(process.waitFor()).isEqualTo(128 + 9);
        resumeAndCompare();
    }

    @Test
    void aDamagedCheckpointIsPassedOver() throws Exception {
        Process process = train();
        awaitEpoch(process);
        process.destroyForcibly().waitFor();
        List<Path> checkpoints = checkpoints();
        Path newest = checkpoints.get(checkpoints.size() - 1);
        byte[] bytes = Files.readAllBytes(newest);
        Files.write(newest, Arrays.copyOf(bytes, bytes.length / 2));
        resumeAndCompare();
    }

    @Test
    void aRunCannotGoOnAsAnotherJob() throws Exception {
        Process process = train();
        awaitEpoch(process);
        process.destroyForcibly().waitFor();
        assertThat(terminal.run("train", job.toString(), "--resume", "--batch", "16", "--seed", "9"))
                .isEqualTo(3);
        assertThat(terminal.err())
                .contains("batch was 32, now it is 16", "seed was 3, now it is 9")
                .doesNotContain("epochs was");
    }

    @Test
    void withoutResumeItStartsAnewAndSaysThatItCouldHaveGoneOn() throws Exception {
        Process process = train();
        awaitEpoch(process);
        process.destroyForcibly().waitFor();
        assertThat(terminal.run("train", job.toString(), "--epochs", "1"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.out()).contains("unfinished run", "--resume", "epoch 1/1");
        assertThat(folder.resolve("run/checkpoints.old")).isNotEmptyDirectory();
    }

    @Test
    void withNothingToResumeItStarts() {
        assertThat(terminal.run("train", job.toString(), "--resume", "--epochs", "1"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.out()).contains("There is no checkpoint in", "epoch 1/1");
    }

    private void resumeAndCompare() throws IOException {
        assertThat(checkpoints()).isNotEmpty();
        assertThat(terminal.run("train", job.toString(), "--resume"))
                .as(terminal.err())
                .isZero();
        assertThat(terminal.out()).contains("going on at step");
        Path straight = folder.resolve("straight");
        assertThat(terminal.run("train", job.toString(), "--output", straight.toString()))
                .isZero();

        Path weights = Path.of("model", "weights.safetensors");
        assertThat(Files.mismatch(folder.resolve("run").resolve(weights), straight.resolve(weights)))
                .as("the first byte that differs")
                .isEqualTo(-1);
        Path metrics = Path.of("model", "metrics.json");
        assertThat(folder.resolve("run").resolve(metrics)).hasSameTextualContentAs(straight.resolve(metrics));
    }

    private List<Path> checkpoints() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("run").resolve("checkpoints"))) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .sorted()
                    .toList();
        }
    }

    private Process train() throws IOException {
        Process process = new ProcessBuilder(
                        "env",
                        "--default-signal=INT", // whoever starts the tests in the background has it ignored
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "train",
                        job.toString())
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        return process;
    }

    /** Unlike {@link Process#destroy} this leaves open what the process says. */
    private static void signal(String name, Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** Reads until the first of the four epochs is done. */
    private static void awaitEpoch(Process process) throws IOException {
        StringBuilder said = new StringBuilder();
        BufferedReader reader = process.inputReader();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            said.append(line).append('\n');
            if (line.startsWith("epoch 1/10")) {
                return;
            }
        }
        throw new AssertionError("the run ended before its first epoch: " + said);
    }

    private static String rest(Process process) throws IOException {
        StringBuilder said = new StringBuilder();
        BufferedReader reader = process.inputReader();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            said.append(line).append('\n');
        }
        return said.toString();
    }
}
