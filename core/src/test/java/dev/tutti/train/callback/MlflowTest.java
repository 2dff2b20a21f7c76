package dev.tutti.train.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizers;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a small twin of MLflow's tracking server; {@code TUTTI_MLFLOW=http://...} tries a real one as well. */
class MlflowTest {
    private record Call(String path, JsonNode body) {}

    @TempDir
    Path folder;

    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/2.0/mlflow/", exchange -> {
            String path = exchange.getRequestURI().getPath().substring("/api/2.0/mlflow/".length());
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            calls.add(new Call(path, Json.json().readTree(body)));
            byte[] answer = Map.of(
                            "experiments/create", "{\"experiment_id\": \"7\"}",
                            "runs/create", "{\"run\": {\"info\": {\"run_id\": \"abc\"}}}")
                    .getOrDefault(path, "{}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static void train(Callback... callbacks) {
        NdArray x = NdArray.of(new float[] {0, 0, 0, 1, 1, 0, 1, 1}, 4, 2);
        NdArray y = NdArray.of(new long[] {0, 0, 0, 1}, 4);
        try (Trainer trainer = Trainer.of(
                Sequential.of(Layers.dense(2)),
                TrainingConfig.of(Optimizers.adam(0.1), Losses.softmaxCrossEntropy())
                        .metrics(List.of(Metrics.accuracy())))) {
            trainer.fit(Dataset.of(x, y).batch(2), Fit.epochs(2).callbacks(callbacks));
        }
    }

    private List<Call> calls(String path) {
        return calls.stream().filter(call -> call.path.equals(path)).toList();
    }

    @Test
    void aRunIsLoggedFromItsParametersToItsEnd() {
        train(Callbacks.mlflow(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"), "digits")
                .named("one")
                .rememberIn(folder.resolve("mlflow.json")));
        assertThat(calls("runs/create").get(0).body.get("experiment_id").asText())
                .isEqualTo("7");
        assertThat(calls("runs/create").get(0).body.get("run_name").asText()).isEqualTo("one");
        List<String> params = calls("runs/log-batch").get(0).body.findValuesAsText("key");
        assertThat(params).contains("optimizer", "learning_rate", "loss", "epochs");
        List<String> metrics = calls("runs/log-batch").stream()
                .skip(1)
                .flatMap(call -> call.body.get("metrics").findValuesAsText("key").stream())
                .toList();
        assertThat(metrics).contains("training_loss", "training_accuracy", "step_loss", "learning_rate");
        assertThat(calls("runs/update").get(0).body.get("status").asText()).isEqualTo("FINISHED");
        assertThat(folder.resolve("mlflow.json")).content().contains("abc");
    }

    @Test
    void aServerThatIsNotThereIsNoticedBeforeTraining() {
        int port = server.getAddress().getPort();
        server.stop(0);
        assertThatThrownBy(() -> train(Callbacks.mlflow(URI.create("http://127.0.0.1:" + port), "digits")))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("does not answer");
        assertThatThrownBy(() -> Callbacks.mlflow(URI.create("file:/tmp/x"), "digits"))
                .hasMessageContaining("http://");
    }

    @Test
    void aServerThatGoesAwayDoesNotEndTraining() {
        Mlflow log = Callbacks.mlflow(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "digits");
        Callback leaving = new Callback() {
            @Override
            public void step(Run run) {
                server.stop(0);
            }
        };
        train(leaving, log);
        assertThat(calls("runs/create")).hasSize(1);
        assertThat(calls("runs/update")).isEmpty();
    }

    @Test
    void aRealServerTakesAllOfIt() {
        String real = System.getenv("TUTTI_MLFLOW");
        org.junit.jupiter.api.Assumptions.assumeTrue(real != null, "TUTTI_MLFLOW names no server");
        train(Callbacks.mlflow(URI.create(real), "tutti-test").named("real"));
    }
}
