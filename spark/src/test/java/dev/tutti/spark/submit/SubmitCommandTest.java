package dev.tutti.spark.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.train.TrainingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command lines of spark-submit as text; a standalone cluster gets one for real in the tests of the command. */
class SubmitCommandTest {
    private static final Path JAR = Path.of("/opt/tutti-spark.jar");

    private static Path installed(Path home) throws Exception {
        Path script = Files.createDirectories(home.resolve("bin")).resolve("spark-submit");
        Files.writeString(script, "#!/bin/sh\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    @Test
    void goesToYarnWithTheSparkSubmitOfSparkHome(@TempDir Path home) throws Exception {
        Path script = installed(home);
        List<String> command = new SubmitCommand(
                        "yarn",
                        "client",
                        "digits",
                        Map.of("spark.executor.instances", "4", "spark.task.maxFailures", "3"),
                        List.of(),
                        JAR,
                        List.of("train", "digits.yaml", "--cluster", "{\"type\":\"spark\"}"))
                .command(Map.of("SPARK_HOME", home.toString()), home.resolve("none"));
        assertThat(command.get(0)).isEqualTo(script.toString());
        assertThat(command)
                .containsSequence("--master", "yarn", "--deploy-mode", "client", "--name", "digits")
                .containsSequence("--class", "dev.tutti.app.Main")
                .containsSequence("--conf", "spark.executor.instances=4")
                .containsSequence("--conf", "spark.task.maxFailures=3")
                .doesNotContain("spark.task.maxFailures=8", "--files")
                .endsWith(JAR.toString(), "train", "digits.yaml", "--cluster", "{\"type\":\"spark\"}");
        assertThat(command.get(command.indexOf("--driver-java-options") + 1))
                .contains("-Dorg.bytedeco.javacpp.maxPhysicalBytes=0");
        assertThat(command)
                .anyMatch(word -> word.startsWith("spark.executor.extraJavaOptions=-Dorg.bytedeco.javacpp."));
    }

    @Test
    void goesToKubernetesWithTheJobFileForADriverThere(@TempDir Path home) throws Exception {
        installed(home);
        List<String> command = new SubmitCommand(
                        "k8s://https://cluster:6443",
                        "cluster",
                        "digits",
                        Map.of("spark.kubernetes.container.image", "registry/spark:4.1.0"),
                        List.of(Path.of("/jobs/digits.yaml")),
                        JAR,
                        List.of("train", "digits.yaml", "--output", "s3a://models/digits"))
                .command(Map.of("PATH", home.resolve("bin").toString()), home.resolve("none"));
        assertThat(command)
                .containsSequence("--master", "k8s://https://cluster:6443", "--deploy-mode", "cluster")
                .containsSequence("--files", "/jobs/digits.yaml")
                .containsSequence("--conf", "spark.kubernetes.container.image=registry/spark:4.1.0")
                .endsWith(JAR.toString(), "train", "digits.yaml", "--output", "s3a://models/digits");
        assertThat(String.join(" ", command)).doesNotContain("-Dtutti.home"); // the driver has folders of its own
    }

    @Test
    void saysWhatIsMissingWhereNoSparkKnowsTheMaster(@TempDir Path folder) throws Exception {
        Files.createFile(folder.resolve("spark-core_2.13-4.1.0.jar"));
        SubmitCommand yarn = new SubmitCommand("yarn", "client", "x", Map.of(), List.of(), JAR, List.of());
        assertThatThrownBy(() -> yarn.command(Map.of(), folder))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("spark-yarn_")
                .hasMessageContaining("SPARK_HOME");
        SubmitCommand standalone =
                new SubmitCommand("spark://node:7077", "client", "x", Map.of(), List.of(), JAR, List.of());
        assertThat(standalone.command(Map.of(), folder))
                .containsSequence("-cp", folder + "/*", "org.apache.spark.deploy.SparkSubmit", "--master");
        assertThatThrownBy(() -> new SubmitCommand("yarn", "remote", "x", Map.of(), List.of(), JAR, List.of()))
                .hasMessageContaining("expected client or cluster, received remote");
    }
}
