package dev.tutti.serve.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.data.transform.Transform;
import dev.tutti.serve.HttpTester;
import dev.tutti.serve.SmallModels;
import dev.tutti.serve.model.ServingSettings;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InferenceServerTest {
    private static final ServingSettings QUICK =
            ServingSettings.standard().poll(Duration.ofMillis(50)).replicas(2);
    private static final String ROW = "{\"rows\": [[1, 2, 3, 4]]}";

    @TempDir
    Path folder;

    private InferenceServer start(Path repository) {
        return InferenceServer.start(repository, QUICK, HttpSettings.local(0));
    }

    private static double mark(JsonNode answer) {
        return answer.path("predictions").path(0).path("output").path(2).asDouble();
    }

    private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    @Test
    void labelsDivideTrafficAndAStepBackHoldsAfterARestart() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        SmallModels.write(repository.resolve("m/2"), 2);
        SmallModels.write(repository.resolve("m/3"), 3);
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            assertThat(mark(http.post("/models/m/predict", ROW).json())).isEqualTo(3);
            label(http, "stable", 1, 50, 200);
            label(http, "canary", 3, 50, 200);
            Set<Double> seen = new TreeSet<>();
            for (int i = 0; i < 60; i++) {
                seen.add(mark(http.post("/models/m/predict", ROW).json()));
            }
            assertThat(seen).containsExactly(1.0, 3.0);
            assertThat(mark(http.post("/models/m/predict?label=stable", ROW).json()))
                    .isEqualTo(1);
            assertThat(http.post("/v1/models/m/labels/canary:predict", "{\"instances\": [[1, 2, 3, 4]]}")
                            .json()
                            .path("predictions")
                            .path(0)
                            .path(2)
                            .asDouble())
                    .isEqualTo(3);
            assertThat(label(http, "canary", 9, 1, 404).error())
                    .contains("no version 9")
                    .contains("[1, 2, 3]");
            http.post("/models/m/rollback", "");
            assertThat(mark(http.post("/models/m/predict", ROW).json())).isEqualTo(2);
        }
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            assertThat(mark(http.post("/models/m/predict", ROW).json())).isEqualTo(2);
            assertThat(http.post("/models/m/follow", "").json().path("current").asLong())
                    .isEqualTo(3);
            assertThat(mark(http.post("/models/m/predict", ROW).json())).isEqualTo(3);
        }
    }

    private static HttpTester.Reply label(HttpTester http, String name, int version, double share, int status) {
        HttpTester.Reply reply = http.send(http.request("/models/m/labels/" + name)
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"version\": " + version + ", \"share\": " + share + "}")));
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        return reply;
    }

    @Test
    void aDamagedVersionIsReportedAndTheOldOneGoesOn() throws Exception {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        try (InferenceServer server = start(repository)) {
            Path damaged = folder.resolve("damaged");
            SmallModels.write(damaged, 2);
            Files.write(damaged.resolve("weights.safetensors"), new byte[] {1, 2, 3});
            Files.move(damaged, repository.resolve("m/2"));
            await(() -> !server.registry().model("m").failures().isEmpty());
            HttpTester http = new HttpTester(server.uri());
            assertThat(mark(http.post("/models/m/predict", ROW).json())).isEqualTo(1);
            assertThat(http.get("/v1/models/m").body()).contains("FAILED_PRECONDITION");
        }
    }

    @Test
    void aRunIsServedUnderItsNameAndFollowsItsModel() throws Exception {
        Path run = folder.resolve("runs/digits");
        SmallModels.write(run.resolve("model"), 7);
        try (InferenceServer server = start(run)) {
            HttpTester http = new HttpTester(server.uri());
            assertThat(mark(http.post("/models/digits/predict", ROW).json())).isEqualTo(7);
            Thread.sleep(20); // the time of the files is part of what tells them apart
            SmallModels.write(run.resolve("model"), 8);
            await(() -> mark(http.post("/models/digits/predict", ROW).json()) == 8);
            assertThat(http.post("/models/digits/rollback", "")
                            .json()
                            .path("current")
                            .asInt())
                    .isEqualTo(1);
            assertThat(mark(http.post("/models/digits/predict", ROW).json())).isEqualTo(7);
        }
    }

    @Test
    void rawRowsGoThroughTheFeaturesOfTheModel() {
        Path model = SmallModels.write(folder.resolve("scaled"), 1, List.of(Transform.scale(0.5, 1)));
        try (InferenceServer server = start(model)) {
            HttpTester http = new HttpTester(server.uri());
            JsonNode json = http.post("/models/scaled/predict", ROW).json();
            assertThat(json.path("predictions").path(0).path("output").path(0).asDouble())
                    .isEqualTo(0.5 * 10 + 4);
        }
    }

    @Test
    void csvImagesAndBinaryTensorsAreRead() throws Exception {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        SmallModels.writeImages(repository.resolve("pictures/1"));
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            JsonNode csv = http.send(http.request("/models/m/predict")
                            .header("Content-Type", "text/csv")
                            .POST(BodyPublishers.ofString("a,b,c,d\n1,2,3,4\n5,6,7,8\n")))
                    .json();
            assertThat(csv.path("predictions").path(1).path("output").path(0).asDouble())
                    .isEqualTo(26);
            assertThat(csv.path("predictions").path(1).path("class").asText()).isEqualTo("high");

            var image = new java.awt.image.BufferedImage(60, 60, java.awt.image.BufferedImage.TYPE_INT_RGB);
            image.setRGB(30, 30, 0xffffff);
            ByteArrayOutputStream png = new ByteArrayOutputStream();
            javax.imageio.ImageIO.write(image, "png", png);
            JsonNode picture = http.send(http.request("/models/pictures/predict")
                            .header("Content-Type", "image/png")
                            .POST(BodyPublishers.ofByteArray(png.toByteArray())))
                    .json();
            assertThat(picture.path("predictions").path(0).path("top")).hasSize(3);
            HttpTester.Reply broken = http.send(http.request("/models/pictures/predict")
                    .header("Content-Type", "image/png")
                    .POST(BodyPublishers.ofByteArray(java.util.Arrays.copyOf(png.toByteArray(), 40))));
            assertThat(broken.status()).isEqualTo(400);

            String json = "{\"id\":\"x\",\"inputs\":[{\"name\":\"input\",\"shape\":[1,4],\"datatype\":\"FP32\","
                    + "\"parameters\":{\"binary_data_size\":16}}],\"outputs\":[{\"name\":\"output\",\"parameters\":"
                    + "{\"binary_data\":true}}]}";
            ByteBuffer body = ByteBuffer.allocate(json.length() + 16).order(ByteOrder.LITTLE_ENDIAN);
            body.put(json.getBytes(StandardCharsets.UTF_8));
            for (float number : new float[] {1, 2, 3, 4}) {
                body.putFloat(number);
            }
            var reply = http.bytes(http.request("/v2/models/m/infer")
                    .header("Inference-Header-Content-Length", Integer.toString(json.length()))
                    .POST(BodyPublishers.ofByteArray(body.array())));
            int header = Integer.parseInt(reply.headers()
                    .firstValue("inference-header-content-length")
                    .orElseThrow());
            ByteBuffer raw =
                    ByteBuffer.wrap(reply.body()).order(ByteOrder.LITTLE_ENDIAN).position(header);
            assertThat(List.of(raw.getFloat(), raw.getFloat(), raw.getFloat())).containsExactly(10f, 20f, 1f);
        }
    }

    @Test
    void badRequestsGetClearErrorsAndTheServiceGoesOn() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        try (InferenceServer server =
                InferenceServer.start(repository, QUICK, HttpSettings.local(0).maxBodyBytes(100_000))) {
            HttpTester http = new HttpTester(server.uri());
            expect(
                    http.post("/models/m/predict", "{\"rows\": [[1, 2, 3]]}"),
                    400,
                    "expected rows of shape [4]",
                    "[1, 3]");
            expect(http.post("/models/m/predict", "{\"rows\": [[1, 2], [3]]}"), 400, "different lengths");
            expect(http.post("/models/m/predict", "{\"rows\": [[1, \"a\"]]}"), 400, "expected a number", "text");
            expect(http.post("/models/m/predict", "{\"rows\""), 400, "not valid JSON");
            expect(http.post("/models/m/predict", "[".repeat(5000)), 400, "16 deep");
            expect(http.post("/models/m/predict", "{\"lines\": 1}"), 400, "unknown key 'lines'");
            expect(http.post("/models/n/predict", ROW), 404, "no model 'n'", "'m'");
            expect(http.post("/models/..%2f..%2fetc/predict", ROW), 400, "path");
            expect(http.post("/models/m/predict?version=9", ROW), 404, "no version 9");
            expect(http.post("/models/m/predict?version=x1", ROW), 400, "whole number");
            expect(http.post("/v2/models/m/infer", "{}"), 400, "no 'inputs'");
            expect(http.post("/v2/models/m/infer", v2("[1,4]", "FP99", "[1,2,3,4]")), 400, "FP99", "FP32");
            expect(http.post("/v2/models/m/infer", v2("[1,5]", "FP32", "[1,2,3,4]")), 400, "holds 5");
            expect(http.post("/v2/models/m/infer", v2("[99999999999,4]", "FP32", "[1]")), 400, "extents");
            expect(
                    http.post(
                            "/v2/models/m/infer",
                            v2("[1,4]", "FP32", "[1,2,3,4]").replace("\"input\"", "\"x\"")),
                    400,
                    "no input 'x'",
                    "input");
            expect(http.post("/v1/models/m:predict", "{\"instances\": []}"), 400, "no rows");
            expect(
                    http.post("/v1/models/m:predict", "{\"signature_name\": \"z\", \"instances\": [[1,2,3,4]]}"),
                    400,
                    "serving_default");
            expect(http.post("/v1/models/m:regress", "{\"examples\": [{\"input\": [1,2,3,4]}]}"), 400, ":predict");
            expect(http.post("/models/m/predict", "{\"rows\": [[" + "1,".repeat(100_000) + "1]]}"), 413, "too large");
            expect(http.get("/nothing"), 404, "openapi.json");
            expect(
                    http.send(http.request("/models/m/predict")
                            .header("X-Deadline-Ms", "soon")
                            .POST(BodyPublishers.ofString(ROW))),
                    400,
                    "milliseconds");
            assertThat(http.post("/models/m/predict", ROW).status()).isEqualTo(200);
            assertThat(http.get("/metrics").body())
                    .contains("tutti_requests_total{model=\"m\",version=\"1\",protocol=\"plain\",code=\"200\"} 1")
                    .contains("tutti_request_duration_seconds_bucket")
                    .contains("tutti_model_parameter_bytes{model=\"m\",version=\"1\"} 60")
                    .doesNotContain("\"n\"");
        }
    }

    private static String v2(String shape, String type, String data) {
        return "{\"inputs\":[{\"name\":\"input\",\"shape\":" + shape + ",\"datatype\":\"" + type + "\",\"data\":" + data
                + "}]}";
    }

    private static void expect(HttpTester.Reply reply, int status, String... words) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.error()).contains(words);
    }

    @Test
    void nanIsAnsweredInTheWordsOfEachProtocol() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            assertThat(http.post("/v1/models/m:predict", "{\"instances\": [[NaN, 1, 1, 1]]}")
                            .body())
                    .contains("NaN");
            assertThat(http.post("/v2/models/m/infer", v2("[1,4]", "FP32", "[NaN,1,1,1]"))
                            .json()
                            .path("outputs")
                            .path(0)
                            .path("data")
                            .path(0)
                            .isNull())
                    .isTrue();
        }
    }

    @Test
    void keysHaveRolesAndLimitsAndAnOpenAddressNeedsThem() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        assertThatThrownBy(() -> HttpSettings.local(0).host("0.0.0.0"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("without API keys");
        ApiKeys keys = ApiKeys.of(
                new ApiKey("asker", "0123456789abcdef0", Set.of(Role.PREDICT), 0),
                new ApiKey("slow", "0123456789abcdef1", Set.of(Role.PREDICT), 1),
                new ApiKey("boss", "0123456789abcdef2", Set.of(Role.ADMIN), 0));
        ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
        try (InferenceServer server =
                InferenceServer.start(repository, QUICK, HttpSettings.local(0).keys(keys), Optional.of(lines::add))) {
            HttpTester http = new HttpTester(server.uri());
            expect(http.post("/models/m/predict", ROW), 401, "expected an API key");
            assertThat(http.get("/v2/health/live").status()).isEqualTo(200);
            assertThat(with(http, "/models/m/predict", "0123456789abcdef0").status())
                    .isEqualTo(200);
            expect(with(http, "/models/m/rollback", "0123456789abcdef0"), 403, "expected admin");
            expect(with(http, "/models/m/rollback", "0123456789abcdef2"), 409, "no version before");
            assertThat(with(http, "/models/m/predict", "0123456789abcdef1").status())
                    .isEqualTo(200);
            HttpTester.Reply second = with(http, "/models/m/predict", "0123456789abcdef1");
            expect(second, 429, "requests in a second");
            assertThat(second.response().headers().firstValue("retry-after")).contains("1");
            assertThat(lines)
                    .anySatisfy(line -> assertThat(line)
                            .contains("\"key\":\"asker\"")
                            .contains("\"path\":\"/models/m/predict\"")
                            .contains("\"status\":200")
                            .doesNotContain("0123456789abcdef"));
        }
    }

    private static HttpTester.Reply with(HttpTester http, String path, String key) {
        return http.send(
                http.request(path).header("Authorization", "Bearer " + key).POST(BodyPublishers.ofString(ROW)));
    }

    @Test
    void pagesOfOtherSitesAndOtherHostNamesAreRefused() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        try (InferenceServer server = start(repository)) {
            HttpTester http = new HttpTester(server.uri());
            expect(
                    http.send(http.request("/models/m/predict")
                            .header("Origin", "https://elsewhere.example")
                            .POST(BodyPublishers.ofString(ROW))),
                    403,
                    "another site");
            assertThat(http.send(http.request("/models/m/predict")
                                    .header("Origin", server.uri().toString())
                                    .POST(BodyPublishers.ofString(ROW)))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void everyRouteIsDescribed() {
        Path repository = folder.resolve("models");
        SmallModels.write(repository.resolve("m/1"), 1);
        try (InferenceServer server = start(repository)) {
            JsonNode paths =
                    new HttpTester(server.uri()).get("/openapi.json").json().path("paths");
            assertThat(paths.at("/~1v2~1models~1{model}~1infer/post/requestBody/content/application~1json/schema/$ref")
                            .asText())
                    .endsWith("/InferRequest");
            assertThat(paths.has("/v1/models/{model}:predict")).isTrue();
            assertThat(paths.path("/models/{model}/predict")
                            .path("post")
                            .path("requestBody")
                            .path("content")
                            .has("image/png"))
                    .isTrue();
        }
    }
}
