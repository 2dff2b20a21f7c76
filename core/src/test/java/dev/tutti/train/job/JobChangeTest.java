package dev.tutti.train.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.io.Safetensors;
import dev.tutti.json.ConfigException;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.Checkpoint;
import dev.tutti.train.checkpoint.CheckpointFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run of several tasks that gets another one while it is under way, and loses one. */
class JobChangeTest {
    private static final int EPOCHS = 4;

    @TempDir
    private Path folder;

    @BeforeEach
    void data() throws IOException {
        ByteBuffer rows = idx(0x0D, 96, 2);
        ByteBuffer classes = idx(0x0C, 96);
        for (int row = 0; row < 96; row++) {
            rows.putFloat(row % 7 / 7f).putFloat(row % 5 / 5f);
            classes.putInt(row % 2);
        }
        Files.write(folder.resolve("rows"), rows.array());
        Files.write(folder.resolve("classes"), classes.array());
    }

    /** The header of a file of four bytes for each element, with room for them. */
    private static ByteBuffer idx(int type, int... shape) {
        int elements = 1;
        for (int dim : shape) {
            elements *= dim;
        }
        ByteBuffer file = ByteBuffer.allocate(4 + 4 * shape.length + 4 * elements);
        file.putInt(type << 8 | shape.length);
        for (int dim : shape) {
            file.putInt(dim);
        }
        return file;
    }

    private JobFile job(String... tasks) {
        StringBuilder nodes = new StringBuilder();
        StringBuilder learned = new StringBuilder();
        for (String task : tasks) {
            nodes.append("    - {name: %s, layer: {type: dense, units: 2}, from: [trunk]}%n".formatted(task));
            learned.append(
                    "  %s: {data: {train: {source: {type: idx, images: %s, labels: %s}}}, loss: softmaxCrossEntropy, metrics: accuracy}%n"
                            .formatted(task, folder.resolve("rows"), folder.resolve("classes")));
        }
        return JobFile.of(
                """
                model:
                  type: graph
                  inputs: [x]
                  nodes:
                    - {name: trunk, layer: {type: dense, units: 3, activation: tanh}, from: [x]}
                %s  outputs: [%s]
                tasks:
                %soptimizer: {type: adam, learningRate: 0.01}
                batch: 16
                epochs: %d
                seed: 5
                output: %s
                """.formatted(nodes, String.join(", ", tasks), learned, EPOCHS, folder.resolve("run")),
                "job.yaml",
                "job");
    }

    /** Asks for another job when an epoch has ended. */
    private Callback asking(int epoch, JobFile next) {
        AtomicBoolean asked = new AtomicBoolean();
        return new Callback() {
            @Override
            public void epoch(Run run, EpochResult result) {
                if (result.epoch() == epoch && asked.compareAndSet(false, true)) {
                    ReadyJob.requestChange(folder.resolve("run"), next);
                }
            }
        };
    }

    private Map<String, NdArray> firstValues(JobFile file) {
        try (ReadyJob ready = ReadyJob.check(file)) {
            return ready.model().arrays();
        }
    }

    private static NdArray value(Checkpoint checkpoint, String name) {
        return checkpoint.array(name);
    }

    @Test
    void aTaskWithANewHeadIsAddedAndOneIsRemoved() {
        JobFile first = job("a", "b");
        JobFile second = job("b", "c");
        Map<String, NdArray> fresh = firstValues(second);
        Optional<JobFile> next;
        try (ReadyJob ready = ReadyJob.check(first).changeable()) {
            History history = ready.run(false, () -> false, asking(2, second));
            assertThat(history.ending()).isEqualTo(History.Ending.INTERRUPTED);
            assertThat(history.epochs()).hasSize(2);
            next = ready.next(history);
        }
        assertThat(next).isPresent();
        Path checkpoints = folder.resolve("run/checkpoints");
        Checkpoint before = endOfEpoch(folder.resolve("run/checkpoints.old"));
        Checkpoint after = new CheckpointFolder(checkpoints).newest().orElseThrow();
        assertThat(after.progress().epoch()).isEqualTo(2);
        for (String kept : new String[] {"trunk.weight", "trunk.bias", "b.weight", "b.bias"}) {
            assertThat(value(after, "model." + kept)).as(kept).isEqualTo(value(before, "model." + kept));
        }
        for (String name : new String[] {"c.weight", "c.bias"}) {
            assertThat(value(after, "model." + name))
                    .as("drawn by its name, as in a new model: %s", name)
                    .isEqualTo(fresh.get(name));
        }
        assertThat(after.names()).noneMatch(name -> name.startsWith("model.a."));
        try (ReadyJob ready = ReadyJob.check(next.get()).changeable()) {
            History history = ready.run(true, () -> false);
            assertThat(history.ending()).isEqualTo(History.Ending.COMPLETED);
            assertThat(history.epochs()).hasSize(EPOCHS);
            assertThat(history.epochs().get(1).training().metrics()).containsOnlyKeys("a.accuracy", "b.accuracy");
            assertThat(history.last().training().metrics()).containsOnlyKeys("b.accuracy", "c.accuracy");
            assertThat(ready.next(history)).isEmpty();
            assertThat(ready.model().arrays().get("c.weight")).isNotEqualTo(fresh.get("c.weight"));
        }
        assertThat(Safetensors.read(folder.resolve("run/model/weights.safetensors"))
                        .tensors())
                .containsKeys("trunk.weight", "b.weight", "c.weight")
                .doesNotContainKey("a.weight");
    }

    private static Checkpoint endOfEpoch(Path folder) {
        Checkpoint last = null;
        for (Path file : new CheckpointFolder(folder).files()) {
            Checkpoint each = Checkpoint.open(file);
            last = each.progress().position() == null ? each : last;
        }
        return last;
    }

    @Test
    void nothingElseMayChange() {
        JobFile other = job("a", "b", "c").set("batch", "32", "--batch 32");
        try (ReadyJob ready = ReadyJob.check(job("a", "b")).changeable()) {
            assertThatThrownBy(() -> ready.run(false, () -> false, asking(1, other)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("nothing else may change: batch was 16, now it is 32");
        }
    }

    @Test
    void aRunThatIsNotUnderWayIsNamed() {
        assertThatThrownBy(() -> ReadyJob.requestChange(folder.resolve("run"), job("a")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("expected the folder of a run that is under way");
    }
}
