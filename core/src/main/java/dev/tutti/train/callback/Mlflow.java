package dev.tutti.train.callback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Evaluation;
import dev.tutti.train.TrainingConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a run to an MLflow tracking server: how it learns as parameters, loss and rate during the epoch, metrics after it.
 *
 * <p>The server is asked once before training, so that a wrong address is noticed. From then on a thread of its own sends what there is:
 * a server that is slow or gone costs training no time, and what it did not take is logged as a warning.
 */
public final class Mlflow implements Callback {
    /** The state of a run in a file, so that a resumed one goes on under the same id. */
    private record Remembered(String run) {}

    private static final Logger LOG = LoggerFactory.getLogger(Mlflow.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** MLflow takes 1,000 values of a request at most. */
    private static final int LARGEST_BATCH = 500;

    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final URI server;
    private final String experiment;
    private final Optional<String> runName;
    private final Optional<Path> memory;
    private final Optional<String> token;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private ExecutorService sender;
    private String run;
    private ArrayNode metrics = Json.json().createArrayNode();
    private long stepLogged;

    Mlflow(URI server, String experiment, Optional<String> runName, Optional<Path> memory, Optional<String> token) {
        if (!"http".equals(server.getScheme()) && !"https".equals(server.getScheme())) {
            throw new TuttiException(
                    "the address of an MLflow server begins with http:// or https://, received " + server);
        }
        this.server = server;
        this.experiment = experiment;
        this.runName = runName;
        this.memory = memory;
        this.token = token;
    }

    /** What the run is called. */
    public Mlflow named(String name) {
        return new Mlflow(server, experiment, Optional.of(name), memory, token);
    }

    /** Keeps the id of the run in a file: a resumed run goes on under it. */
    public Mlflow rememberIn(Path file) {
        return new Mlflow(server, experiment, runName, Optional.of(file), token);
    }

    /** Sends a token with each request, as {@code Authorization: Bearer}. */
    public Mlflow token(String secret) {
        return new Mlflow(server, experiment, runName, memory, Optional.of(secret));
    }

    /** @throws TuttiException if the server does not answer, or refuses */
    @Override
    public void begin(Run training) {
        sender = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "mlflow");
            thread.setDaemon(true);
            return thread;
        });
        Optional<String> known = training.step() > 0 ? remembered() : Optional.empty();
        run = known.isPresent() ? known.get() : create();
        memory.ifPresent(file -> AtomicFile.write(file, Json.write(new Remembered(run)) + "\n"));
        if (known.isPresent()) {
            ObjectNode again = runNode();
            again.put("status", "RUNNING");
            post("runs/update", again);
        } else {
            post("runs/log-batch", parameters(training));
        }
    }

    private Optional<String> remembered() {
        return memory.filter(Files::isRegularFile)
                .map(file -> Json.read(file, Remembered.class).run());
    }

    private String create() {
        ObjectNode wanted = Json.json().createObjectNode();
        wanted.put("experiment_id", experimentId());
        runName.ifPresent(name -> wanted.put("run_name", name));
        wanted.put("start_time", System.currentTimeMillis());
        ObjectNode tag = wanted.putArray("tags").addObject();
        tag.put("key", "mlflow.source.name");
        tag.put("value", "tutti");
        return post("runs/create", wanted).at("/run/info/run_id").asText();
    }

    private String experimentId() {
        ObjectNode wanted = Json.json().createObjectNode();
        wanted.put("filter", "name = '" + experiment.replace("'", "\\'") + "'");
        wanted.put("max_results", 1);
        JsonNode found = post("experiments/search", wanted).at("/experiments/0/experiment_id");
        if (!found.isMissingNode()) {
            return found.asText();
        }
        ObjectNode name = Json.json().createObjectNode();
        name.put("name", experiment);
        return post("experiments/create", name).get("experiment_id").asText();
    }

    private ObjectNode parameters(Run training) {
        TrainingConfig config = training.recipe();
        ObjectNode wanted = runNode();
        ArrayNode params = wanted.putArray("params");
        add(params, "epochs", Integer.toString(training.epochs()));
        add(params, "optimizer", config.optimizer().toString());
        add(params, "learning_rate", Double.toString(config.optimizer().learningRate()));
        add(params, "loss", config.loss().toString());
        add(params, "seed", Long.toString(config.seed()));
        add(params, "parameters", Long.toString(training.model().plan().bytes() / Float.BYTES));
        return wanted;
    }

    private static void add(ArrayNode params, String key, String value) {
        ObjectNode one = params.addObject();
        one.put("key", key);
        one.put("value", value.length() > 500 ? value.substring(0, 500) : value);
    }

    @Override
    public void step(Run training) {
        long now = System.nanoTime();
        if (stepLogged != 0 && now - stepLogged < STEP_NANOS) {
            return;
        }
        stepLogged = now;
        add("step_loss", training.lastLoss(), training.step());
        add("learning_rate", training.learningRate(), training.step());
        if (metrics.size() >= LARGEST_BATCH / 10) {
            flush();
        }
    }

    @Override
    public void epoch(Run training, EpochResult result) {
        add("training_", result.training(), result.steps());
        result.validation().ifPresent(validation -> add("validation_", validation, result.steps()));
        flush();
    }

    private void add(String prefix, Evaluation evaluation, long step) {
        add(prefix + "loss", evaluation.loss(), step);
        evaluation.metrics().forEach((name, value) -> add(prefix + name, value, step));
    }

    private void add(String key, double value, long step) {
        if (!Double.isFinite(value)) {
            return; // JSON has no word for it
        }
        ObjectNode one = metrics.addObject();
        one.put("key", key);
        one.put("value", value);
        one.put("timestamp", System.currentTimeMillis());
        one.put("step", step);
        if (metrics.size() >= LARGEST_BATCH) {
            flush();
        }
    }

    private void flush() {
        if (metrics.isEmpty()) {
            return;
        }
        ObjectNode wanted = runNode();
        wanted.set("metrics", metrics);
        metrics = Json.json().createArrayNode();
        later("runs/log-batch", wanted);
    }

    private void later(String path, ObjectNode wanted) {
        sender.execute(() -> {
            try {
                post(path, wanted);
            } catch (TuttiException e) {
                LOG.warn("a part of this run is missing at MLflow: {}", e.getMessage());
            }
        });
    }

    @Override
    public void end(Run training, Optional<Throwable> failure) {
        if (run == null) {
            return;
        }
        flush();
        ObjectNode wanted = runNode();
        wanted.put("status", failure.isPresent() ? "FAILED" : training.stopping() ? "KILLED" : "FINISHED");
        wanted.put("end_time", System.currentTimeMillis());
        later("runs/update", wanted);
        sender.shutdown();
        try {
            if (!sender.awaitTermination(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("the MLflow server {} did not take the end of this run in time", server);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ObjectNode runNode() {
        ObjectNode wanted = Json.json().createObjectNode();
        wanted.put("run_id", run);
        return wanted;
    }

    private JsonNode post(String path, ObjectNode wanted) {
        String base = server.toString().replaceAll("/+$", "");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + "/api/2.0/mlflow/" + path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(wanted.toString()));
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new TuttiException("the MLflow server " + server + " refused " + path + " with "
                        + response.statusCode() + ": "
                        + response.body()
                                .substring(0, Math.min(300, response.body().length())));
            }
            return Json.read(response.body(), JsonNode.class, "MLflow");
        } catch (IOException e) {
            throw new TuttiException("the MLflow server " + server + " does not answer: " + e
                    + ". Start it with mlflow server, or leave the callback out");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TuttiException("interrupted while the MLflow server " + server + " was asked");
        }
    }
}
