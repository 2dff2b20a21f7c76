package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user sees when training itself goes wrong. */
class FailingRunTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    @Test
    void aLossThatIsNoNumberEndsTraining() throws IOException {
        Path job = SmallJob.write(folder);
        assertThat(terminal.run("train", job.toString(), "--set", "optimizer={type: sgd, learningRate: 1.0e+30}"))
                .isEqualTo(5);
        assertThat(terminal.err())
                .startsWith("the loss became ")
                .contains("try a smaller rate")
                .hasLineCount(1);
        assertThat(folder.resolve("run/model")).doesNotExist();
    }

    @Test
    void truncatedDataIsNamed() throws IOException {
        Path job = SmallJob.write(folder);
        byte[] labels = Files.readAllBytes(Path.of("..", "datasets", "mnist", "t10k-labels-idx1-ubyte.gz"));
        Path cut = Files.write(folder.resolve("labels.gz"), Arrays.copyOf(labels, labels.length / 2));
        String data = "data.train={source: {type: idx, images: ../datasets/mnist/t10k-images-idx3-ubyte.gz, labels: "
                + cut + "}}";
        assertThat(terminal.run("train", job.toString(), "--set", data)).isEqualTo(4);
        assertThat(terminal.err()).startsWith(cut + " is cut short").hasLineCount(1);
    }

    @Test
    void aFullDiskIsSaidInOneSentence() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Assumptions.assumeTrue(
                succeeds("mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk.toString()),
                "needs the right to mount a tmpfs");
        try {
            Path job = SmallJob.write(folder);
            assertThat(terminal.run(
                            "train",
                            job.toString(),
                            "--epochs",
                            "3",
                            "--output",
                            disk.resolve("run").toString()))
                    .isEqualTo(6);
            assertThat(terminal.err()).contains("the disk is full").hasLineCount(1);
        } finally {
            succeeds("umount", disk.toString());
        }
    }

    private static boolean succeeds(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
