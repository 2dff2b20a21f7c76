package dev.tutti.train.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFileTest {
    private final JobFile mnist = JobFile.builtIn("mnist");

    @TempDir
    private Path folder;

    @Test
    void aJobIsWrittenAndReadBackAsTheSame() {
        String yaml = Json.writeYaml(mnist.job());
        String json = Json.write(mnist.job());
        assertThat(Json.writeYaml(JobFile.of(yaml, "yaml", "x").job())).isEqualTo(yaml);
        assertThat(Json.writeYaml(JobFile.of(json, "json", "x").job())).isEqualTo(yaml);
    }

    @Test
    void aJobThatHasNoNameOrOutputTakesThemFromItsFile() throws IOException {
        Path file = Files.writeString(folder.resolve("digits.yaml"), "data: mnist\n");
        Job job = JobFile.read(file).job();
        assertThat(job.name()).isEqualTo("digits");
        assertThat(job.output().path()).isEqualTo(Path.of("runs", "digits"));
    }

    @Test
    void theNameOfADatasetStandsForBothParts() {
        JobData data = mnist.job().data();
        assertThat(data.train()).hasToString("mnist(train)");
        assertThat(data.validation().orElseThrow()).hasToString("mnist(test)");
        JobData one = JobFile.of("data: {train: mnist}", "here", "x").job().data();
        assertThat(one.validation()).isEmpty();
    }

    @Test
    void aValueIsSetAnywhere() {
        assertThat(mnist.set("epochs", "9", "--epochs 9").job().epochs()).isEqualTo(9);
        JobFile changed = mnist.set("model.layers.0.filters", "5", "").set("checkpoints.keep", "7", "");
        assertThat(Json.write(changed.job().model())).contains("\"filters\" : 5");
        assertThat(changed.job().checkpoints().keep()).isEqualTo(7);
        assertThat(mnist.job().epochs()).as("the job itself stays as it is").isNotEqualTo(9);
    }

    @Test
    void aShortFormIsOpenedUpToSetWhatIsInside() {
        JobFile job = JobFile.of("optimizer: adam", "here", "x").set("optimizer.learningRate", "0.5", "");
        assertThat(job.job().optimizer().learningRate()).isEqualTo(0.5);
        assertThat(job.job().optimizer().kind()).isEqualTo("adam");
    }

    @Test
    void aModelMayLieInAFileOfItsOwn() throws IOException {
        Path file = Files.writeString(folder.resolve("net.yaml"), "type: sequential\nlayers: [flatten]\n");
        JobModel model = JobFile.of("model: " + file, "here", "x").job().model();
        assertThat(model.definition()).isPresent();
        assertThat(model.saved()).isEmpty();
        assertThatThrownBy(() -> JobFile.of("model: " + folder.resolve("no.yaml"), "here", "x"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("here:1:1: model: " + folder.resolve("no.yaml") + ": there is no such file");
    }

    @Test
    void theLastSettingOfAKeyIsBlamedForWhatIsWrongWithIt() {
        JobFile changed = mnist.set("batch", "1", "--batch 1").set("batch", "0", "--set batch=0");
        assertThatThrownBy(() -> ReadyJob.check(changed))
                .hasMessage("--set batch=0: batch: expected 1 or more, received 0");
    }

    @Test
    void keysUnderFormerNamesStillWork() {
        JobFile old = JobFile.of(
                "threads: 2\nfeatures: [{type: scale, factor: 2}]\ncluster: {type: threads}\n", "old.yaml", "x");
        JobFile now = JobFile.of(
                "cores: 2\npreprocessing: [{type: scale, factor: 2}]\ncluster: {type: threads}\n", "new.yaml", "x");
        assertThat(Json.write(old.job())).isEqualTo(Json.write(now.job()));
        assertThat(old.job().cores()).hasValue(2);
        assertThat(old.set("cores", "3", "--cores 3").job().cores()).hasValue(3);
        assertThat(now.set("threads", "3", "--threads 3").job().cores()).hasValue(3);
        assertThat(old.set("epochs", "3", "--epochs 3").job().cores()).hasValue(2);
        assertThat(old.problem("/cores", "too many")).hasMessage("old.yaml:1:1: too many");
    }

    @Test
    void everyFormerNameIsLoggedWithItsPlace() {
        var logger = (ch.qos.logback.classic.Logger) org.slf4j.LoggerFactory.getLogger(FormerKeys.class);
        var heard = new ch.qos.logback.core.read.ListAppender<ch.qos.logback.classic.spi.ILoggingEvent>();
        heard.start();
        logger.addAppender(heard);
        try {
            JobFile.of("epochs: 1\nthreads: 2\n", "old.yaml", "x").set("features", "[]", "--set features=[]");
        } finally {
            logger.detachAppender(heard);
        }
        assertThat(heard.list)
                .extracting(ch.qos.logback.classic.spi.ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "old.yaml:2:1: 'threads' is called 'cores' now; the former name works in this version only",
                        "--set features=[]: 'features' is called 'preprocessing' now; the former name works in this"
                                + " version only");
    }
}
