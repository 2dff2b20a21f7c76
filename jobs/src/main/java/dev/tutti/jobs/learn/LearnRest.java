package dev.tutti.jobs.learn;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.http.EndpointServer;
import dev.tutti.serve.http.Role;
import dev.tutti.serve.http.RouteDescription;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.model.VersionLease;
import dev.tutti.serve.protocol.HttpCall;
import dev.tutti.serve.protocol.JsonReply;
import dev.tutti.serve.tensor.JsonTensorReader;
import dev.tutti.serve.tensor.RowShape;
import dev.tutti.source.column.RowEncoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Examples over REST: {@code POST /models/M/learn} with {@code {"rows": [...], "answers": [...]}}. Rows are arrays, or for a model that was
 * trained on a table objects with its columns.
 */
public final class LearnRest {
    static final int MOST_ROWS = 100_000;

    /** Reads one value out of the middle of a request, which Tutti's own settings would take for an error. */
    private static final ObjectMapper TREES = new ObjectMapper();

    private final ModelRegistry registry;
    private final OnlineLearner learner;

    public LearnRest(ModelRegistry registry, OnlineLearner learner) {
        this.registry = registry;
        this.learner = learner;
    }

    public void addTo(EndpointServer server) {
        server.route(
                RouteDescription.post(
                                "/models/{model}/learn",
                                Role.SUBMIT,
                                "Gives examples to learn from: {\"rows\": [...], \"answers\": [...]}.",
                                "application/json")
                        .as("Examples"),
                this::learn);
        server.route(
                RouteDescription.get("/models/{model}/learn", Role.SUBMIT, "How the learning of a model goes."),
                call -> CompletableFuture.supplyAsync(
                        () -> JsonReply.ok(learner.report(call.variable("model"))),
                        call.context().blockingTaskExecutor()));
    }

    private CompletionStage<HttpResponse> learn(HttpCall call) throws IOException {
        String model = call.variable("model");
        Runnable keep;
        try (VersionLease lease = registry.model(model).lease(VersionChoice.ANY)) {
            ModelVersion version = lease.version();
            Optional<RowEncoder> encoder = learner.rowEncoder(model, version.number());
            if (encoder.isPresent()) {
                List<Map<String, Object>> rows = NamedExamples.read(call.body(), encoder.get());
                keep = () -> learner.addRows(model, rows);
            } else {
                Body body = read(call.body(), version);
                version.requireFitting(body.rows);
                NdArray labels = labels(
                        body.answers,
                        version,
                        Math.toIntExact(body.rows.get(0).shape().dim(0)));
                keep = () -> learner.add(model, body.rows, labels);
            }
        }
        return CompletableFuture.supplyAsync(
                () -> {
                    keep.run();
                    return JsonReply.of(HttpStatus.ACCEPTED, learner.report(model));
                },
                call.context().blockingTaskExecutor());
    }

    private record Body(List<NdArray> rows, JsonNode answers) {}

    private static Body read(byte[] json, ModelVersion version) throws IOException {
        List<TensorSpec> inputs = version.signature().inputs();
        if (inputs.size() != 1) {
            throw ServeException.invalid(
                    "the model takes " + inputs.size() + " inputs: learning takes models with one");
        }
        NdArray rows = null;
        JsonNode answers = null;
        try (JsonParser parser = JsonTensorReader.open(json, 0, json.length)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw expected();
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                if (key.equals("rows")) {
                    JsonTensorReader found = JsonTensorReader.read(parser);
                    rows = found.toArray(inputs.get(0).type(), RowShape.of(inputs.get(0), found.shape()));
                } else if (key.equals("answers")) {
                    answers = TREES.readTree(parser);
                } else {
                    throw expected();
                }
            }
        }
        if (rows == null || answers == null || !answers.isArray()) {
            throw expected();
        }
        return new Body(List.of(rows), answers);
    }

    static ServeException expected() {
        return ServeException.invalid("expected {\"rows\": [...], \"answers\": [...]}, an answer for each row");
    }

    private static NdArray labels(JsonNode answers, ModelVersion version, int rows) {
        if (answers.size() != rows || rows > MOST_ROWS) {
            throw ServeException.invalid("received " + rows + " rows and " + answers.size()
                    + " answers: expected an answer for each of at most " + MOST_ROWS + " rows");
        }
        if (version.classes().exist() && version.classes().count() > 1) {
            long[] classes = new long[rows];
            for (int i = 0; i < rows; i++) {
                classes[i] = version.classes()
                        .number(answers.get(i).asText())
                        .orElseThrow(() -> ServeException.invalid(
                                "an answer is none of the " + version.classes().count() + " classes"));
            }
            return NdArray.wrap(DType.INT64, Shape.of(rows), classes);
        }
        Shape row = version.signature().outputs().get(0).shape();
        int width = Math.toIntExact(row.size());
        List<Float> numbers = new ArrayList<>();
        answers.forEach(answer -> flatten(answer, numbers));
        if (numbers.size() != rows * width) {
            throw ServeException.invalid(
                    "the answers hold " + numbers.size() + " numbers: expected " + width + " for each row");
        }
        float[] values = new float[numbers.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = numbers.get(i);
        }
        return NdArray.wrap(DType.FLOAT32, row.prepend(rows), values);
    }

    private static void flatten(JsonNode node, List<Float> numbers) {
        if (node.isNumber()) {
            numbers.add(node.floatValue());
        } else if (node.isArray()) {
            node.forEach(each -> flatten(each, numbers));
        } else {
            throw ServeException.invalid("an answer is no number");
        }
    }
}
