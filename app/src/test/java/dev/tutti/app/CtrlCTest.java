package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in a terminal, which all processes in the foreground hear: the driver and the workers it has started. */
@Timeout(120)
class CtrlCTest {
    @TempDir
    private Path folder;

    private Process driver;

    @AfterEach
    void end() throws Exception {
        if (driver != null) {
            driver.destroyForcibly().waitFor();
        }
    }

    @Test
    void theDriverFinishesItsStepWithItsWorkers() throws Exception {
        Path job = folder.resolve("job.yaml");
        Files.writeString(
                job,
                SmallJob.yaml(folder.resolve("run"))
                                .replace("count: 512", "count: 4096")
                                .replace("epochs: 1", "epochs: 1000")
                        + "cores: 1\n");
        driver = new ProcessBuilder(
                        "setsid", // makes it the leader of a group, as a shell does with a command in a terminal
                        "env",
                        "--default-signal=INT", // whoever starts the tests in the background has it ignored
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "train",
                        job.toString(),
                        "--processes",
                        "2")
                .redirectErrorStream(true)
                .start();
        BufferedReader output = driver.inputReader();
        String said = until(output, "epoch 1/1000");
        new ProcessBuilder("kill", "-INT", "--", "-" + driver.pid()).start().waitFor();
        said += until(output, null);

        assertThat(driver.waitFor()).as(said).isEqualTo(130);
        assertThat(said)
                .contains("Stopping after this step", "A checkpoint is in", "--resume")
                .doesNotContain("was killed", "is gone", "exit code", "takes the place");
        assertThat(folder.resolve("run/checkpoints")).isDirectoryContaining("glob:**.safetensors");
    }

    /** Reads until a line begins so, or to the end. */
    private static String until(BufferedReader reader, String begin) throws IOException {
        StringBuilder said = new StringBuilder();
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            said.append(line).append('\n');
            if (begin != null && line.startsWith(begin)) {
                return said.toString();
            }
        }
        assertThat(begin).as("the run ended too soon: " + said).isNull();
        return said.toString();
    }
}
