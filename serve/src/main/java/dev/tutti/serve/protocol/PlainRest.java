package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ClassNames;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.tensor.CsvRows;
import dev.tutti.serve.tensor.ImageRows;
import dev.tutti.serve.tensor.JsonTensorReader;
import dev.tutti.serve.tensor.JsonTensorWriter;
import dev.tutti.serve.tensor.NamedRowReader;
import dev.tutti.serve.tensor.RowShape;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** {@code POST /models/M/predict}: rows as JSON or CSV, or an image; the answer in words where the model knows classes. */
public final class PlainRest {
    private static final int SHOWN = 3;

    private final InferenceService service;

    public PlainRest(InferenceService service) {
        this.service = service;
    }

    public CompletionStage<HttpResponse> predict(HttpCall call) {
        String label = call.parameter("label", "");
        VersionChoice choice =
                label.isEmpty() ? VersionChoice.version(call.parameter("version", "")) : VersionChoice.label(label);
        return call.cancelling(service.infer(
                        call.variable("model"),
                        choice,
                        "plain",
                        call.deadline(service.deadline()),
                        version -> rows(call, version)))
                .thenApply(PlainRest::reply);
    }

    private static List<NdArray> rows(HttpCall call, ModelVersion version) throws IOException {
        MediaType type = call.request().contentType();
        boolean json =
                type == null || type.belongsTo(MediaType.JSON) || type.subtype().endsWith("json");
        boolean csv = type != null && type.belongsTo(MediaType.parse("text/csv"));
        if (version.namedRows().exist() && (csv || json && NamedRowReader.isNamed(call.body()))) {
            return version.namedRows()
                    .inputs(csv ? NamedRowReader.csv(call.request().contentUtf8()) : NamedRowReader.json(call.body()));
        }
        if (version.signature().inputs().size() != 1) {
            throw ServeException.invalid(
                    "the model has " + version.signature().inputs().size() + " inputs: ask it by /v2/models/"
                            + version.name() + "/infer");
        }
        TensorSpec input = version.signature().inputs().get(0);
        if (json) {
            return List.of(json(call.body(), input));
        }
        if (csv) {
            return List.of(CsvRows.read(call.request().contentUtf8(), input));
        }
        if (type.type().equals("image")) {
            return List.of(ImageRows.pixels(
                    ImageRows.decode(call.body()),
                    version.inputShape(),
                    Boolean.parseBoolean(call.parameter("invert", "false")),
                    white(call)));
        }
        throw ServeException.invalid("Content-Type " + type.type() + "/" + type.subtype()
                + ": expected application/json, text/csv, image/png or image/jpeg");
    }

    private static double white(HttpCall call) {
        String said = call.parameter("white", "1");
        try {
            return Double.parseDouble(said);
        } catch (NumberFormatException e) {
            throw ServeException.invalid("white: expected what a white pixel is, such as 1 or 255");
        }
    }

    /** A list of rows, one row, or an object with either under {@code rows}. */
    private static NdArray json(byte[] body, TensorSpec input) throws IOException {
        try (JsonParser parser = JsonTensorReader.open(body, 0, body.length)) {
            JsonToken first = parser.nextToken();
            JsonTensorReader found = null;
            if (first == JsonToken.START_OBJECT) {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String key = parser.currentName();
                    parser.nextToken();
                    if (!key.equals("rows")) {
                        throw ServeException.invalid("unknown key '" + key.substring(0, Math.min(32, key.length()))
                                + "': expected 'rows', a list of rows");
                    }
                    found = JsonTensorReader.read(parser);
                }
            } else if (first != null) {
                found = JsonTensorReader.read(parser);
            }
            if (found == null) {
                throw ServeException.invalid("expected {\"rows\": [...]} or a list of rows of shape " + input.shape());
            }
            if (parser.nextToken() != null) {
                throw ServeException.invalid("something follows the rows");
            }
            return found.toArray(input.type(), RowShape.of(input, found.shape()));
        }
    }

    private static HttpResponse reply(InferenceAnswer answer) {
        return JsonReply.ok(out -> {
            out.writeStartObject();
            out.writeStringField("model", answer.version().name());
            out.writeNumberField("version", answer.version().number());
            out.writeArrayFieldStart("predictions");
            for (int row = 0; row < answer.rows(); row++) {
                out.writeStartObject();
                if (answer.version().classes().exist()) {
                    classes(out, answer.version().classes(), answer.outputs().get(0), row);
                }
                for (int i = 0; i < answer.outputs().size(); i++) {
                    out.writeFieldName(
                            answer.version().signature().outputs().get(i).name());
                    new JsonTensorWriter(out, JsonTensorWriter.NonFinite.AS_NULL)
                            .row(answer.outputs().get(i), row);
                }
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static void classes(JsonGenerator out, ClassNames names, NdArray outputs, int row) throws IOException {
        double[] probabilities = names.probabilities(outputs, row);
        List<Integer> best = IntStream.range(0, probabilities.length)
                .boxed()
                .sorted((a, b) -> Double.compare(probabilities[b], probabilities[a]))
                .limit(SHOWN)
                .toList();
        out.writeStringField("class", names.name(best.get(0)));
        number(out, "probability", probabilities[best.get(0)]);
        out.writeArrayFieldStart("top");
        for (int place : best) {
            out.writeStartObject();
            out.writeStringField("class", names.name(place));
            number(out, "probability", probabilities[place]);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void number(JsonGenerator out, String key, double value) throws IOException {
        if (Double.isFinite(value)) {
            out.writeNumberField(key, value);
        } else {
            out.writeNullField(key);
        }
    }
}
