package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import dev.tutti.spark.launch.StandaloneCluster;
import dev.tutti.spark.submit.AssembledJar;
import dev.tutti.spark.submit.SubmitCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The assembled jar, given to Spark's own spark-submit, on a real standalone cluster of two worker daemons. */
@Timeout(400)
class SubmittedTrainTest {
    private static final Path JARS =
            Path.of("../spark/target/lib-spark").toAbsolutePath().normalize();

    @TempDir
    private static Path shared;

    private static Path jar;

    @BeforeAll
    static void assemble() {
        assumeTrue(
                Files.isDirectory(JARS),
                "SKIPPED: the jars of Spark are not in " + JARS + "; mvn package puts them there");
        jar = shared.resolve("tutti-spark.jar");
        AssembledJar.write(AssembledJar.own(System.getProperty("java.class.path"), JARS), jar);
    }

    @Test
    void trainsOnAClusterThatHasNothingOfTutti(@TempDir Path folder) throws Exception {
        try (JarFile content = new JarFile(jar.toFile())) {
            assertThat(content.getEntry("dev/tutti/app/Main.class")).isNotNull();
            assertThat(content.stream())
                    .anyMatch(entry -> entry.getName().endsWith(".so"))
                    .noneMatch(entry -> entry.getName().startsWith("org/apache/spark/"))
                    .noneMatch(entry -> entry.getName().startsWith("ch/qos/logback/"));
        }
        Path job = SmallJob.write(folder);
        String output = "file://" + folder.resolve("written-by-hadoop");
        System.setProperty(
                "tutti.datasets",
                Path.of("../datasets").toAbsolutePath().normalize().toString());
        StandaloneCluster cluster =
                StandaloneCluster.start(folder.resolve("cluster"), new StandaloneCluster.Size(JARS, 2, 1, "1500m", 0));
        try {
            List<String> command = new SubmitCommand(
                            cluster.master(),
                            "client",
                            "small",
                            Map.of("spark.driver.host", "127.0.0.1", "spark.executor.memory", "1g"),
                            List.of(),
                            jar,
                            List.of(
                                    "train",
                                    job.toString(),
                                    "--cluster",
                                    "{\"type\":\"spark\"}",
                                    "--output",
                                    output,
                                    "--json"))
                    .command(Map.of(), JARS);
            Path out = folder.resolve("out.txt");
            Path err = folder.resolve("err.txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
            builder.environment().remove("SPARK_HOME");
            Process process = builder.start();
            boolean ended = process.waitFor(300, TimeUnit.SECONDS);
            process.destroyForcibly();
            assertThat(ended).as(Files.readString(err)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();
            JsonNode answer = Json.json().readTree(Files.readString(out).strip());
            assertThat(answer.get("epochs").asInt()).isEqualTo(1);
            assertThat(answer.get("times").get("members")).hasSize(2);
            assertThat(answer.get("model").asText()).isEqualTo(output + "/model");
            assertThat(folder.resolve("written-by-hadoop/model/model.json")).exists();
            assertThat(folder.resolve("written-by-hadoop/checkpoints").toFile().list())
                    .isNotEmpty();
        } finally {
            StandaloneCluster.stop(folder.resolve("cluster"));
        }
    }

    /** What a program has written to its standard output. */
    private static String run(Path folder, List<String> command) throws Exception {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PYSPARK_PYTHON", command.get(0));
        builder.environment()
                .put(
                        "PYTHONPATH",
                        Path.of("../clients/python")
                                .toAbsolutePath()
                                .normalize()
                                .toString());
        builder.environment().remove("SPARK_HOME");
        Process process = builder.start();
        boolean ended = process.waitFor(300, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        assertThat(ended).as(Files.readString(err)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        return Files.readString(out).strip();
    }

    @Test
    void servesPySpark(@TempDir Path folder) throws Exception {
        Path peers = Path.of(System.getProperty("user.home"), ".cache/tutti/peers/bin/python"); // of ./tutti bench
        String python =
                System.getenv().getOrDefault("TUTTI_PYSPARK", Files.isExecutable(peers) ? peers.toString() : "python3");
        String[] spark = JARS.toFile().list((jars, name) -> name.startsWith("spark-core_"));
        String version = pySparkOf(python);
        assumeTrue(
                spark != null && spark.length == 1 && spark[0].endsWith("-" + version + ".jar"),
                "SKIPPED: " + python + " has no PySpark of the version in " + Arrays.toString(spark)
                        + ": install it (pip install pyspark==VERSION) and name that Python in TUTTI_PYSPARK");
        String program = Path.of("../clients/python/spark_pipeline.py")
                .toAbsolutePath()
                .normalize()
                .toString();
        String said = run(
                folder,
                List.of(python, program, jar.toString(), folder.resolve("saved").toString()));
        assertThat(said)
                .containsPattern("(?m)^accuracy (0\\.9|1\\.0)")
                .contains("the loaded pipeline predicts the same; epochs 3")
                .contains("accuracy by learning rate");
    }

    /** Empty text where there is none. */
    private static String pySparkOf(String python) throws Exception {
        try {
            Process process = new ProcessBuilder(python, "-c", "import pyspark; print(pyspark.__version__)")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String version = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? version : "";
        } catch (IOException e) {
            return "";
        }
    }
}
