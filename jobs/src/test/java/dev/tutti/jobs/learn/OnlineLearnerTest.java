package dev.tutti.jobs.learn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.SavedSmallModels;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.jobs.rest.TrainingServer;
import dev.tutti.json.Json;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.model.ServingSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.StringJoiner;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Learning over HTTP, with real jobs: two numbers, and the class is which of them is larger. */
@Timeout(240)
class OnlineLearnerTest {
    @TempDir
    Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Random random = new Random(3);
    private TrainingServer server;

    @BeforeEach
    void start() {
        SavedSmallModels.writePairs(folder.resolve("models/pairs/1"));
        server = TrainingServer.start(
                folder,
                new Resources(2, 8_000),
                List.of(),
                ServingSettings.standard().replicas(1).poll(Duration.ofMillis(200)),
                HttpSettings.local(0),
                new LearningSettings(160, 5, 20, 20_000, 1).distillation(0.2),
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
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        var response = client.send(request.build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return Json.read(response.body(), JsonNode.class, "answer");
    }

    private void examples(int count, boolean turned) throws Exception {
        StringJoiner rows = new StringJoiner(",", "[", "]");
        StringJoiner answers = new StringJoiner(",", "[", "]");
        for (int i = 0; i < count; i++) {
            double a = random.nextGaussian();
            double b = random.nextGaussian();
            rows.add("[" + a + "," + b + "]");
            answers.add(a > b ^ turned ? "1" : "0");
        }
        call("POST", "/models/pairs/learn", "{\"rows\": " + rows + ", \"answers\": " + answers + "}", 202);
    }

    private JsonNode report() throws Exception {
        return call("GET", "/models/pairs/learn", null, 200);
    }

    private String message() {
        try {
            return report().at("/state/message").asText();
        } catch (Exception e) {
            return "";
        }
    }

    private void await(BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time; last: " + message()).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    private long answers() throws Exception {
        return call("GET", "/models/pairs", null, 200).get("current").asLong();
    }

    @Test
    void aBetterVersionIsPublishedAndAWorseOneSteppedBackFrom() throws Exception {
        examples(300, false);
        await(() -> message().startsWith("published as version 2"));
        assertThat(answers()).isEqualTo(2);
        JsonNode sure = call("POST", "/models/pairs/predict", "[[3, -3], [-3, 3]]", 200);
        assertThat(sure.at("/predictions/0/class").asText()).isEqualTo("1");
        assertThat(sure.at("/predictions/1/class").asText()).isEqualTo("0");
        assertThat(report().get("heldOut").asInt()).isEqualTo(60);

        examples(110, true); // now the world is turned round: what was learned is worse than what was there before
        await(() -> message().startsWith("stepped back to version 1"));
        assertThat(answers()).isEqualTo(1);
    }

    @Test
    void whatIsWrongWithExamplesIsSaid() throws Exception {
        assertThat(call("POST", "/models/pairs/learn", "{\"rows\": [[1, 2]], \"answers\": [7]}", 400)
                        .get("error")
                        .asText())
                .contains("none of the 2 classes");
        assertThat(call("POST", "/models/pairs/learn", "{\"rows\": [[1, 2]], \"answers\": []}", 400)
                        .get("error")
                        .asText())
                .contains("received 1 rows and 0 answers");
        assertThat(call("POST", "/models/pairs/learn", "{\"rows\": [[1, 2, 3]], \"answers\": [1]}", 400)
                        .get("error")
                        .asText())
                .contains("[?, 2]");
        call("POST", "/models/none/learn", "{\"rows\": [[1, 2]], \"answers\": [1]}", 404);
        assertThat(report().get("examples").asInt()).isZero();
    }
}
