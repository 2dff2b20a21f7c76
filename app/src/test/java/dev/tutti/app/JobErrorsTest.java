package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is wrong with a job is said before anything starts: where, what was expected, what is near. */
class JobErrorsTest {
    @TempDir
    private Path folder;

    private final Terminal terminal = new Terminal();

    /** A line of the small job, what it is replaced by, and what is said then, behind the name of the file. */
    record Mistake(String line, String instead, String message, int code) {
        @Override
        public String toString() {
            return instead.strip();
        }
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                new Mistake("epochs: 1", "stratgy: local", ":11:1: unknown key 'stratgy': did you mean 'strategy'?", 3),
                new Mistake(
                        "epochs: 1",
                        "cluster: {type: threads, workers: 0}",
                        ":11:1: expected at least 1 worker, received 0",
                        3),
                new Mistake(
                        "epochs: 1",
                        "strategy: locl",
                        ":11:1: strategy: unknown strategy 'locl': did you mean 'local'?",
                        3),
                new Mistake(
                        "epochs: 1",
                        "cluster: {type: processes, members: 2}\nstrategy: local",
                        ":12:1: the strategy local trains on one worker, received 2: choose a strategy for several",
                        3),
                new Mistake("epochs: 1", "epochs: many", ":11:1: epochs: expected a whole number, received 'many'", 3),
                new Mistake("epochs: 1", "epochs: [1]", ":11:1: epochs: expected a whole number, received a list", 3),
                new Mistake(
                        "metrics: [accuracy]",
                        "metrics: r2",
                        ":9:1: r2: predictions and targets have the same shape",
                        3),
                new Mistake("epochs: 1", "epochs: 0", ":11:1: epochs: expected 1 or more, received 0", 3),
                new Mistake("batch: 32", "batch: -1", ":10:1: batch: expected 1 or more, received -1", 3),
                new Mistake("epochs: 1", "checkpoints: {keep: 0}", ":11:15: keep: expected 1 or more, received 0", 3),
                new Mistake(
                        "loss: softmaxCrossEntropy", "", ": the job needs a 'loss', such as softmaxCrossEntropy", 3),
                new Mistake(
                        "loss: softmaxCrossEntropy",
                        "loss: softmaxCrossEntropi",
                        ":7:1: loss: unknown loss 'softmaxCrossEntropi': did you mean 'softmaxCrossEntropy'?",
                        3),
                new Mistake(
                        "type: adam, learningRate: 0.01",
                        "type: adam, learningRat: 0.01",
                        ":8:25: optimizer: unknown key 'learningRat': did you mean 'learningRate'?",
                        3),
                new Mistake(
                        "type: adam, learningRate: 0.01",
                        "type: adam, learningRate: -1",
                        ":8:1: adam: learningRate must be at least 0, received -1",
                        3),
                new Mistake(
                        "schedule: cosine",
                        "schedule: cosin",
                        ":8:45: optimizer.schedule: unknown schedule 'cosin': did you mean 'cosine'?",
                        3),
                new Mistake(
                        "metrics: [accuracy]",
                        "metrics: [acuracy]",
                        ":9:11: metrics[0]: unknown metric 'acuracy': did you mean 'accuracy'?",
                        3),
                new Mistake(
                        "type: take, count",
                        "type: tak, count",
                        ":2:36: data.train.stages[0]: unknown stage 'tak': did you mean 'take'?",
                        3),
                new Mistake(
                        "source: mnist,",
                        "source: mnits,",
                        ":2:11: data.train.source: unknown source 'mnits': did you mean 'mnist'?",
                        3),
                new Mistake(
                        "units: 16",
                        "unit: 16",
                        ":6:35: model.layers[1]: unknown key 'unit': did you mean 'units'?",
                        3),
                new Mistake(
                        "layers: [flatten, ",
                        "layers: [{type: conv2d, filters: 4, kernel: 99}, ",
                        ":4:1: layer conv2d1 ",
                        3),
                new Mistake(
                        "epochs: 1",
                        "callbacks: [{type: earlyStopping, metric: acuracy}]",
                        ":11:35: there is no metric 'acuracy' to follow: did you mean 'accuracy'?",
                        3),
                new Mistake("seed: 3", "seed: 3\nseed: 4", ":13:5: the key 'seed' is there twice", 3),
                new Mistake(
                        "seed: 3", "device: gpu", ":12:1: unknown device 'gpu': expected auto, cpu, cuda or cuda:N", 3),
                new Mistake("seed: 3", "seed: [3", ":1", 3),
                new Mistake("units: 10}", "units: 5}", "softmaxCrossEntropy: ", 4));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeIsSaidWithItsPlace(Mistake mistake) throws IOException {
        Path file = folder.resolve("job.yaml");
        String yaml = SmallJob.yaml(folder.resolve("run"));
        Files.writeString(file, yaml.replace(mistake.line, mistake.instead));

        assertThat(terminal.run("train", file.toString())).as(terminal.err()).isEqualTo(mistake.code);
        if (mistake.code == 3) {
            assertThat(terminal.err()).startsWith(file + mistake.message).doesNotContain("\tat ");
            assertThat(folder.resolve("run")).doesNotExist();
        } else {
            assertThat(terminal.err()).startsWith(mistake.message);
        }
    }

    @Test
    void aMissingFileSaysWhatIsThere() throws IOException {
        Files.writeString(folder.resolve("digits.yaml"), "");
        assertThat(terminal.run("train", folder.resolve("letters.yaml").toString()))
                .isEqualTo(4);
        assertThat(terminal.err())
                .startsWith(folder.resolve("letters.yaml") + ": there is no such file")
                .contains("digits.yaml");
        assertThat(terminal.run("train", "mnits")).isEqualTo(4);
        assertThat(terminal.err()).isEqualTo("mnits: there is no such file: did you mean mnist?\n");
    }

    @Test
    void aSettingThatIsWrongIsNamed() throws IOException {
        String job = SmallJob.write(folder).toString();
        assertThat(terminal.run("train", job, "--set", "optimizer.learningRat=1"))
                .isEqualTo(3);
        assertThat(terminal.err())
                .isEqualTo(
                        "--set optimizer.learningRat=1: optimizer: unknown key 'learningRat': did you mean 'learningRate'?\n");
        assertThat(terminal.run("train", job, "--batch", "0")).isEqualTo(3);
        assertThat(terminal.err()).isEqualTo("--batch 0: batch: expected 1 or more, received 0\n");
        assertThat(terminal.run("train", job, "--set", "model.layers.9.units=1"))
                .isEqualTo(3);
        assertThat(terminal.err())
                .isEqualTo("--set model.layers.9.units=1: expected a place in the list, 0 to 3, received '9'\n");
    }

    @Test
    void anOutputThatIsAFileIsRefused() throws IOException {
        Path job = SmallJob.write(folder);
        Files.writeString(folder.resolve("run"), "here already");
        assertThat(terminal.run("train", job.toString())).isEqualTo(3);
        assertThat(terminal.err())
                .isEqualTo(job + ":13:1: output: expected a folder, but " + folder.resolve("run") + " is a file\n");
    }
}
