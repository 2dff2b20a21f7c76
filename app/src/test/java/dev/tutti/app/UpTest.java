package dev.tutti.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code ./tutti up}: jobs over REST, on this machine and on Spark, across a kill -9 of the service. */
@Timeout(300)
class UpTest {
    private static final Path JARS =
            Path.of("../spark/target/lib-spark").toAbsolutePath().normalize();
    private static final String JOB = """
            name: small
            data:
              train: {source: mnist, stages: [{type: take, count: 1024}]}
            model:
              type: sequential
              layers: [flatten, {type: dense, units: 16, activation: relu}, {type: dense, units: 10}]
            loss: softmaxCrossEntropy
            optimizer: {type: adam, learningRate: 0.003}
            batch: 32
            epochs: 2
            seed: 3
            """;

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Process> services = new ArrayList<>();
    private URI uri;

    @AfterEach
    void end() throws Exception {
        for (Process service : services) {
            service.destroyForcibly().waitFor();
        }
        for (Path file : folder.resolve("service/jobs").toFile().exists()
                ? list(folder.resolve("service/jobs"))
                : List.<Path>of()) {
            Path process = file.resolve("process.json");
            if (Files.exists(process)) {
                long pid = Json.read(process, JsonNode.class).get("pid").asLong();
                ProcessHandle.of(pid)
                        .filter(one -> one.info().commandLine().orElse("").contains(folder.toString()))
                        .ifPresent(one -> {
                            one.descendants().forEach(ProcessHandle::destroyForcibly);
                            one.destroyForcibly();
                        });
            }
        }
    }

    private static List<Path> list(Path folder) throws Exception {
        try (var files = Files.list(folder)) {
            return files.filter(Files::isDirectory).toList();
        }
    }

    private Process up() throws Exception {
        Files.createDirectories(folder.resolve("spark-home"));
        if (!Files.exists(folder.resolve("spark-home/jars"))) {
            Files.createSymbolicLink(folder.resolve("spark-home/jars"), JARS);
        }
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-Dtutti.datasets="
                                + Path.of("../datasets").toAbsolutePath().normalize(),
                        "-Dtutti.spark.jars=" + JARS,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "up",
                        "--port",
                        "0",
                        "--cores",
                        "2",
                        "--folder",
                        folder.resolve("service").toString())
                .redirectErrorStream(true);
        builder.environment().put("SPARK_HOME", folder.resolve("spark-home").toString());
        Process service = builder.start();
        services.add(service);
        Pattern address = Pattern.compile("The page is at (http://127.0.0.1:[0-9]+)");
        BufferedReader output = service.inputReader();
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher found = address.matcher(line);
            if (found.find()) {
                uri = URI.create(found.group(1));
                return service;
            }
            said.append(line).append('\n');
        }
        throw new AssertionError(said.toString());
    }

    private JsonNode call(String method, String path, Object body) throws Exception {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(uri.resolve(path))
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString(Json.write(body)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
        return Json.json().readTree(response.body());
    }

    /** Reads its events until the last one, after those that were read before. */
    private String follow(String id, String lastEvent) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(uri.resolve("/api/jobs/" + id + "/events"))
                                .header("Last-Event-ID", lastEvent)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void jobsOnThisMachineAndOnSparkSurviveTheServiceAndPublishTheirModels() throws Exception {
        Assumptions.assumeTrue(
                Files.isDirectory(JARS),
                "SKIPPED: the jars of Spark are not in " + JARS + "; mvn package puts them there");
        Process first = up();
        String spark = call(
                        "POST",
                        "/api/jobs",
                        Map.of(
                                "job",
                                JOB + "cluster: {type: spark, master: 'local-cluster[1,1,1024]', workers: 1}\n",
                                "publish",
                                "by-spark"))
                .get("id")
                .asText();
        String here = call("POST", "/api/jobs", Map.of("job", JOB, "publish", "by-cores"))
                .get("id")
                .asText();
        for (String id : List.of(spark, here)) {
            while (!Files.exists(folder.resolve("service/jobs/" + id + "/process.json"))) {
                Thread.sleep(50);
            }
        }
        first.destroyForcibly().waitFor(); // kill -9

        up();
        for (String id : List.of(spark, here)) {
            String events = follow(id, "0");
            String log = Files.readString(folder.resolve("service/jobs/" + id + "/log.txt"));
            assertThat(events).as(log).contains("event: end").contains("\"kind\":\"epoch\"");
            JsonNode job = call("GET", "/api/jobs/" + id, null);
            assertThat(job.at("/record/state").asText()).as(log).isEqualTo("finished");
            assertThat(job.at("/record/attempts").asInt())
                    .as("it was found, not begun anew")
                    .isEqualTo(1);
            assertThat(job.at("/record").has("given")).isFalse();
            assertThat(job.at("/result/epochs").asInt()).isEqualTo(2);
            Matcher last = Pattern.compile("id: ([0-9]+)\\ndata: \\{\\}").matcher(events);
            assertThat(last.find()).isTrue();
            assertThat(follow(id, last.group(1))).as("nothing is sent twice").doesNotContain("event: progress");
        }
        for (String model : List.of("by-spark", "by-cores")) {
            while (!call("GET", "/models", null).toString().contains("\"" + model + "\"")) {
                Thread.sleep(50);
            }
            assertThat(call("GET", "/v1/models/" + model, null)
                            .at("/model_version_status/0/state")
                            .asText())
                    .isEqualTo("AVAILABLE");
        }
        assertThat(call("GET", "/api/resources", null).at("/free/cores").asInt())
                .isEqualTo(2);
    }
}
