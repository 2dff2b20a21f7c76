package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.launch.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

    /** The last line says who was the first and why, also when the failure of one has become that of all. */
    @Test
    @Timeout(300)
    void theWorkerThatFailedFirstIsNamedAtTheEnd() throws Exception {
        Path job = SmallJob.write(folder);
        Thread killer = new Thread(this::killFirstWorker, "killer");
        killer.setDaemon(true);
        killer.start();
        String place = "cluster={type: processes, members: 2, min: 2, restarts: 0, tooFewSeconds: 10}";
        int code = terminal.run("train", job.toString(), "--epochs", "100000", "--set", place);
        killer.interrupt();
        assertThat(code).as(terminal.err()).isEqualTo(7);
        String[] lines = terminal.err().strip().split("\n");
        assertThat(lines[lines.length - 1])
                .startsWith("worker-1 was the first to fail: ")
                .contains("was killed by signal 9");
    }

    /** Kills it after the first epoch. */
    private void killFirstWorker() {
        while (!Thread.currentThread().isInterrupted()) {
            Optional<ProcessHandle> worker = ProcessHandle.current()
                    .descendants()
                    .filter(process -> commandLine(process).contains("-D" + ChildJvm.MEMBER + "=worker-1\0"))
                    .findFirst();
            if (worker.isPresent() && Files.exists(folder.resolve("run/metrics.jsonl"))) {
                worker.get().destroyForcibly();
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** The JVM does not give those that are long. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
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
