package dev.tutti.serve.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.tutti.serve.metrics.ServingMetrics;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelRepository;
import dev.tutti.serve.model.ServingSettings;
import dev.tutti.serve.protocol.AdminRest;
import dev.tutti.serve.protocol.InferenceService;
import dev.tutti.serve.protocol.OpenInferenceGrpc;
import dev.tutti.serve.protocol.OpenInferenceRest;
import dev.tutti.serve.protocol.PlainRest;
import dev.tutti.serve.protocol.TensorFlowGrpc;
import dev.tutti.serve.protocol.TensorFlowRest;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Serves the models of a repository over all protocols on one port.
 *
 * <pre>{@code
 * try (InferenceServer server = InferenceServer.start(Path.of("runs/mnist"), ServingSettings.standard(), HttpSettings.local(8080))) {
 *     System.out.println(server.uri());
 *     ...
 * }
 * }</pre>
 */
public final class InferenceServer implements AutoCloseable {
    private static final String JSON = "application/json";

    private final ModelRegistry registry;
    private final ServingMetrics metrics;
    private final EndpointServer server;

    private InferenceServer(ModelRegistry registry, ServingMetrics metrics, EndpointServer server) {
        this.registry = registry;
        this.metrics = metrics;
        this.server = server;
    }

    /** Loads all models, then listens. */
    public static InferenceServer start(Path repository, ServingSettings serving, HttpSettings http) {
        return start(repository, serving, http, Optional.empty());
    }

    /** The same with an access log, which is given one line for each request. */
    public static InferenceServer start(
            Path repository, ServingSettings serving, HttpSettings http, Optional<Consumer<String>> accessLog) {
        ServingMetrics metrics = new ServingMetrics();
        ModelRegistry registry = new ModelRegistry(new ModelRepository(repository), serving, metrics);
        EndpointServer server = new EndpointServer(http, accessLog);
        try {
            registry.refresh();
            addRoutes(server, new InferenceService(registry, metrics));
            server.start();
            registry.watch();
            return new InferenceServer(registry, metrics, server);
        } catch (RuntimeException | Error e) {
            registry.close();
            throw e;
        }
    }

    /** Adds the routes of all protocols. */
    public static void addRoutes(EndpointServer server, InferenceService service) {
        openInference(server, new OpenInferenceRest(service));
        tensorFlow(server, new TensorFlowRest(service));
        plain(server, service);
        new OpenInferenceGrpc(service, server.access(Role.PREDICT)).methods().forEach(server::service);
        new TensorFlowGrpc(service, server.access(Role.PREDICT)).methods().forEach(server::service);
    }

    private static void openInference(EndpointServer server, OpenInferenceRest v2) {
        server.route(RouteDescription.get("/v2", Role.PREDICT, "The server and its extensions."), v2::server);
        server.route(RouteDescription.get("/v2/health/live", Role.NONE, "Whether the process answers."), v2::live);
        server.route(RouteDescription.get("/v2/health/ready", Role.NONE, "Whether all models are loaded."), v2::ready);
        for (String model : List.of("/v2/models/{model}", "/v2/models/{model}/versions/{version}")) {
            server.route(RouteDescription.get(model, Role.PREDICT, "Inputs and outputs of a model."), v2::metadata);
            server.route(
                    RouteDescription.get(model + "/ready", Role.PREDICT, "Whether a model is loaded."), v2::modelReady);
            server.route(
                    RouteDescription.post(
                                    model + "/infer", Role.PREDICT, "Computes outputs, Open Inference Protocol.", JSON)
                            .as("InferRequest"),
                    v2::infer);
        }
        server.route(
                RouteDescription.post("/v2/repository/index", Role.PREDICT, "All models and versions."), v2::index);
        server.route(
                RouteDescription.post("/v2/repository/models/{model}/load", Role.ADMIN, "Takes a model into service."),
                v2::load);
        server.route(
                RouteDescription.post(
                        "/v2/repository/models/{model}/unload", Role.ADMIN, "Takes a model out of service."),
                v2::unload);
    }

    private static void tensorFlow(EndpointServer server, TensorFlowRest v1) {
        for (String model : List.of(
                "/v1/models/{model}", "/v1/models/{model}/versions/{version}", "/v1/models/{model}/labels/{label}")) {
            server.route(RouteDescription.get(model, Role.PREDICT, "The status of a model's versions."), v1::status);
            server.route(
                    RouteDescription.get(model + "/metadata", Role.PREDICT, "The signature of a model."), v1::metadata);
            server.route(
                    RouteDescription.post(
                                    model + ":predict", Role.PREDICT, "Computes outputs, TensorFlow Serving.", JSON)
                            .as("PredictRequest"),
                    v1::predict);
            server.route(
                    RouteDescription.post(model + ":classify", Role.PREDICT, "Classes with probabilities.", JSON)
                            .as("ExamplesRequest"),
                    v1::classify);
            server.route(
                    RouteDescription.post(model + ":regress", Role.PREDICT, "One number for each row.", JSON)
                            .as("ExamplesRequest"),
                    v1::regress);
        }
    }

    private static void plain(EndpointServer server, InferenceService service) {
        PlainRest plain = new PlainRest(service);
        AdminRest admin = new AdminRest(service);
        server.route(
                RouteDescription.post(
                                "/models/{model}/predict",
                                Role.PREDICT,
                                "Predicts for rows as JSON or CSV, or for an image.",
                                JSON,
                                "text/csv",
                                "image/png",
                                "image/jpeg")
                        .as("Rows")
                        .with("version", "label", "invert", "white"),
                plain::predict);
        server.route(RouteDescription.get("/models", Role.PREDICT, "All models."), admin::models);
        server.route(RouteDescription.get("/models/{model}", Role.PREDICT, "Versions, traffic, times."), admin::model);
        server.route(
                new RouteDescription(
                                HttpMethod.PUT,
                                "/models/{model}/labels/{label}",
                                Role.ADMIN,
                                "Sets a label: {\"version\": 2, \"share\": 10}.",
                                List.of(JSON))
                        .as("Label"),
                admin::setLabel);
        server.route(
                new RouteDescription(
                        HttpMethod.DELETE, "/models/{model}/labels/{label}", Role.ADMIN, "Removes a label.", List.of()),
                admin::removeLabel);
        server.route(
                RouteDescription.post("/models/{model}/rollback", Role.ADMIN, "Steps back to the version before."),
                admin::stepBack);
        server.route(
                RouteDescription.post("/models/{model}/follow", Role.ADMIN, "The newest version answers again."),
                admin::followNewest);
        server.route(
                RouteDescription.get("/metrics", Role.PREDICT, "Measurements for Prometheus."),
                call -> CompletableFuture.completedFuture(HttpResponse.of(
                        HttpStatus.OK,
                        MediaType.parse("text/plain; version=0.0.4; charset=utf-8"),
                        HttpData.ofUtf8(service.metrics().text(service.registry())))));
    }

    public ModelRegistry registry() {
        return registry;
    }

    public ServingMetrics metrics() {
        return metrics;
    }

    public URI uri() {
        return server.uri();
    }

    public int port() {
        return server.port();
    }

    /** Finishes the answers under way, stops, and frees the models. */
    @Override
    public void close() {
        try {
            server.close();
        } finally {
            registry.close();
        }
    }
}
