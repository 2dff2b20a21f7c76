package dev.tutti.serve.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.json.Json;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.http.InferenceServer;
import dev.tutti.serve.model.ServingSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Requests and the answers that the protocols' documents prescribe, from files: one test for each pair. */
class ConformanceTest {
    @TempDir
    static Path folder;

    private static InferenceServer server;

    @BeforeAll
    static void start() {
        SmallModels.write(folder.resolve("m/1"), 1);
        SmallModels.write(folder.resolve("m/2"), 2);
        server = InferenceServer.start(folder, ServingSettings.standard().replicas(1), HttpSettings.local(0));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @TestFactory
    List<DynamicTest> pairs() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String file : List.of("open_inference.json", "tensorflow_serving.json")) {
            try (InputStream in = ConformanceTest.class.getResourceAsStream(file)) {
                for (JsonNode pair : Json.json().readTree(in)) {
                    tests.add(DynamicTest.dynamicTest(
                            file + ": " + pair.path("name").asText(), () -> check(pair)));
                }
            }
        }
        return tests;
    }

    private static void check(JsonNode pair) {
        HttpTester http = new HttpTester(server.uri());
        var request = http.request(pair.path("path").asText());
        String body = pair.has("body") ? pair.path("body").toString() : "";
        HttpTester.Reply reply = http.send(
                pair.path("method").asText().equals("GET")
                        ? request.GET()
                        : request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
        assertThat(reply.status())
                .as(reply.body())
                .isEqualTo(pair.path("status").asInt());
        if (pair.has("response")) {
            assertThat(reply.json()).isEqualTo(reread(pair.path("response")));
        }
        if (pair.has("error")) {
            assertThat(reply.json().size()).isEqualTo(1);
            assertThat(reply.error()).contains(pair.path("error").asText());
        }
    }

    private static JsonNode reread(JsonNode tree) {
        try {
            return Json.json().readTree(tree.toString());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
