package dev.tutti.jobs.learn;

import static dev.tutti.source.column.LabelColumn.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.data.Dataset;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.jobs.rest.TrainingServer;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.source.Sources;
import dev.tutti.source.column.CategoryColumn;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.NumericColumn;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model with the columns of a table learns from raw rows: a number and a word, of which the word alone decides. */
@Timeout(240)
class TableLearningTest {
    @TempDir
    Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Random random = new Random(5);
    private TrainingServer server;

    @BeforeEach
    void start() throws Exception {
        Path table = Files.writeString(
                folder.resolve("seen.csv"), "size,kind,taste\n1,lemon,sour\n3,plum,sweet\n2,,sweet\n");
        Columns columns = Columns.of(NumericColumn.of("size"), CategoryColumn.of("kind"))
                .label(classes("taste"))
                .fit(Dataset.of(Sources.csv(table.toString())));
        List<Input> inputs = columns.rowEncoder().features(List.of(Map.of("size", 1))).features().stream()
                .map(array -> Input.of(array.shape().from(1).toArray()))
                .toList();
        assertThat(inputs).hasSize(1);
        try (Model model = Model.of(Sequential.of(Layers.dense(2)), inputs.get(0))) {
            SavedModel.write(
                    folder.resolve("models/fruit/1"),
                    model,
                    new SavedModel.Features(List.of(columns), columns.classes()),
                    null,
                    SavedModel.Made.now(
                            "test",
                            1,
                            new TrainingConfig(
                                    Optimizers.adam(0.1),
                                    Losses.softmaxCrossEntropy(),
                                    List.of(Metrics.accuracy()),
                                    0,
                                    1)));
        }
        server = TrainingServer.start(
                folder,
                new Resources(2, 8_000),
                List.of(),
                ServingSettings.standard().replicas(1).poll(Duration.ofMillis(200)),
                HttpSettings.local(0),
                new LearningSettings(160, 5, 20, 20_000, 1),
                Optional.empty());
    }

    @AfterEach
    void end() {
        server.close();
        for (JobRecord job : server.jobs().jobs()) {
            JobFolder files = server.jobs().folder(job.id());
            if (files.isHeld()) {
                files.process().flatMap(id -> ProcessHandle.of(id.pid())).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    private JsonNode call(String method, String path, String body, int status) throws Exception {
        var response = client.send(
                HttpRequest.newBuilder(URI.create(server.uri() + path))
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return Json.read(response.body(), JsonNode.class, "answer");
    }

    private void examples(int count, boolean turned) throws Exception {
        StringJoiner rows = new StringJoiner(",", "[", "]");
        StringJoiner answers = new StringJoiner(",", "[", "]");
        for (int i = 0; i < count; i++) {
            boolean lemon = random.nextBoolean();
            rows.add("{\"size\": " + (i % 9 == 0 ? "null" : 1 + random.nextInt(3)) + ", \"kind\": \""
                    + (lemon ? "lemon" : "plum") + "\", \"unused\": 7}");
            answers.add(lemon ^ turned ? "\"sour\"" : "\"sweet\"");
        }
        call("POST", "/models/fruit/learn", "{\"rows\": " + rows + ", \"answers\": " + answers + "}", 202);
    }

    private void awaitMessage(String start) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        String message = "";
        while (!message.startsWith(start)) {
            assertThat(System.nanoTime()).as("in time; last: " + message).isLessThan(deadline);
            Thread.sleep(50);
            message = call("GET", "/models/fruit/learn", "", 200)
                    .at("/state/message")
                    .asText();
        }
    }

    private long current() throws Exception {
        return call("GET", "/models/fruit", "", 200).get("current").asLong();
    }

    @Test
    void rawRowsAreLearnedFromAndAWorseVersionIsSteppedBackFrom() throws Exception {
        examples(300, false);
        awaitMessage("published as version 2");
        assertThat(current()).isEqualTo(2);
        examples(110, true); // from now on lemons are sweet: what was learned is worse than what was there before
        awaitMessage("stepped back to version 1");
        assertThat(current()).isEqualTo(1);
    }

    @Test
    void whatDoesNotFitTheColumnsIsSaidAndNotKept() throws Exception {
        assertRefused("{\"rows\": [{\"size\": 1, \"kind\": \"plum\"}], \"answers\": [\"salty\"]}", "salty");
        assertRefused("{\"rows\": [{\"size\": \"big\"}], \"answers\": [\"sour\"]}", "'size'");
        assertRefused("{\"rows\": [{\"colour\": 1}], \"answers\": [\"sour\"]}", "none of the columns size, kind");
        assertRefused("{\"rows\": [[1, 2]], \"answers\": [\"sour\"]}", "expected an object");
        assertRefused("{\"rows\": [{\"size\": 1}], \"answers\": []}", "1 rows and 0 answers");
        assertThat(call("GET", "/models/fruit/learn", "", 200).get("examples").asInt())
                .isZero();
    }

    private void assertRefused(String body, String words) throws Exception {
        assertThat(call("POST", "/models/fruit/learn", body, 400).get("error").asText())
                .contains(words);
    }
}
