package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import com.linecorp.armeria.common.HttpResponse;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.ServedModel;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.tensor.JsonTensorWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** TensorFlow Serving's REST interface: status, metadata, predict, classify, regress. */
public final class TensorFlowRest {
    static final String SIGNATURE = "serving_default";

    private final InferenceService service;

    public TensorFlowRest(InferenceService service) {
        this.service = service;
    }

    private static VersionChoice choice(HttpCall call) {
        String label = call.variable("label");
        return label.isEmpty() ? VersionChoice.version(call.variable("version")) : VersionChoice.label(label);
    }

    public CompletionStage<HttpResponse> status(HttpCall call) {
        ServedModel model = service.registry().model(call.variable("model"));
        VersionChoice choice = choice(call);
        List<ModelVersion> versions =
                choice.equals(VersionChoice.ANY) ? List.copyOf(model.versions()) : List.of(model.find(choice));
        List<Map<String, Object>> list = new ArrayList<>();
        for (int i = versions.size() - 1; i >= 0; i--) {
            list.add(status(versions.get(i).number(), "AVAILABLE", "OK", ""));
        }
        model.failures().forEach((number, why) -> list.add(status(number, "END", "FAILED_PRECONDITION", why)));
        return CompletableFuture.completedFuture(JsonReply.ok(Map.of("model_version_status", list)));
    }

    private static Map<String, Object> status(long version, String state, String code, String message) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("error_code", code);
        error.put("error_message", message);
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("version", Long.toString(version));
        one.put("state", state);
        one.put("status", error);
        return one;
    }

    public CompletionStage<HttpResponse> metadata(HttpCall call) {
        ModelVersion version = service.registry().model(call.variable("model")).find(choice(call));
        Map<String, Object> signature = new LinkedHashMap<>();
        signature.put("inputs", tensors(version.signature().inputs()));
        signature.put("outputs", tensors(version.signature().outputs()));
        signature.put("method_name", "tensorflow/serving/predict");
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("name", version.name());
        spec.put("signature_name", "");
        spec.put("version", Long.toString(version.number()));
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("model_spec", spec);
        about.put("metadata", Map.of("signature_def", Map.of("signature_def", Map.of(SIGNATURE, signature))));
        return CompletableFuture.completedFuture(JsonReply.ok(about));
    }

    private static Map<String, Object> tensors(List<TensorSpec> specs) {
        Map<String, Object> tensors = new LinkedHashMap<>();
        for (TensorSpec spec : specs) {
            List<Map<String, Object>> dims = new ArrayList<>();
            for (long extent : spec.batchShape()) {
                Map<String, Object> dim = new LinkedHashMap<>();
                dim.put("size", Long.toString(extent));
                dim.put("name", "");
                dims.add(dim);
            }
            Map<String, Object> shape = new LinkedHashMap<>();
            shape.put("dim", dims);
            shape.put("unknown_rank", false);
            Map<String, Object> tensor = new LinkedHashMap<>();
            tensor.put("dtype", dtype(spec.type()));
            tensor.put("tensor_shape", shape);
            tensor.put("name", spec.name() + ":0");
            tensors.put(spec.name(), tensor);
        }
        return tensors;
    }

    private static String dtype(DType type) {
        return switch (type) {
            case FLOAT32 -> "DT_FLOAT";
            case FLOAT64 -> "DT_DOUBLE";
            case INT64 -> "DT_INT64";
            case INT32 -> "DT_INT32";
            case UINT8 -> "DT_UINT8";
            case BOOL -> "DT_BOOL";
            case FLOAT16 -> "DT_HALF";
            case BFLOAT16 -> "DT_BFLOAT16";
        };
    }

    public CompletionStage<HttpResponse> predict(HttpCall call) {
        AtomicBoolean columns = new AtomicBoolean();
        return infer(call, version -> {
                    TensorFlowRequest request = TensorFlowRequest.predict(call.body(), version.signature());
                    columns.set(request.isColumns());
                    return request.arrays();
                })
                .thenApply(answer -> columns.get() ? columns(answer) : rows(answer));
    }

    private CompletableFuture<InferenceAnswer> infer(HttpCall call, InferenceService.RowSource rows) {
        return call.cancelling(service.infer(
                call.variable("model"), choice(call), "tensorflow", call.deadline(service.deadline()), rows));
    }

    private static HttpResponse rows(InferenceAnswer answer) {
        return JsonReply.ok(out -> {
            JsonTensorWriter writer = new JsonTensorWriter(out, JsonTensorWriter.NonFinite.AS_WORDS);
            out.writeStartObject();
            out.writeArrayFieldStart("predictions");
            for (int row = 0; row < answer.rows(); row++) {
                if (answer.outputs().size() == 1) {
                    writer.row(answer.outputs().get(0), row);
                } else {
                    out.writeStartObject();
                    for (int i = 0; i < answer.outputs().size(); i++) {
                        out.writeFieldName(name(answer, i));
                        writer.row(answer.outputs().get(i), row);
                    }
                    out.writeEndObject();
                }
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static HttpResponse columns(InferenceAnswer answer) {
        return JsonReply.ok(out -> {
            JsonTensorWriter writer = new JsonTensorWriter(out, JsonTensorWriter.NonFinite.AS_WORDS);
            out.writeStartObject();
            out.writeFieldName("outputs");
            if (answer.outputs().size() == 1) {
                writer.nested(answer.outputs().get(0));
            } else {
                out.writeStartObject();
                for (int i = 0; i < answer.outputs().size(); i++) {
                    out.writeFieldName(name(answer, i));
                    writer.nested(answer.outputs().get(i));
                }
                out.writeEndObject();
            }
            out.writeEndObject();
        });
    }

    private static String name(InferenceAnswer answer, int output) {
        return answer.version().signature().outputs().get(output).name();
    }

    static void requireClasses(ModelVersion version) {
        if (!version.classes().exist()) {
            throw ServeException.invalid("the model tells no classes apart: ask it with :predict or :regress");
        }
    }

    static void requireOneNumber(ModelVersion version) {
        TensorSpec output = version.signature().outputs().get(0);
        if (output.shape().size() != 1) {
            throw ServeException.invalid("the model gives " + output.shape()
                    + " numbers to a row, :regress is for one: ask it with :predict");
        }
    }

    public CompletionStage<HttpResponse> classify(HttpCall call) {
        return infer(call, version -> {
                    requireClasses(version);
                    return TensorFlowRequest.examples(call.body(), version.signature());
                })
                .thenApply(answer -> JsonReply.ok(out -> {
                    out.writeStartObject();
                    out.writeArrayFieldStart("results");
                    for (int row = 0; row < answer.rows(); row++) {
                        classified(out, answer, row);
                    }
                    out.writeEndArray();
                    out.writeEndObject();
                }));
    }

    private static void classified(JsonGenerator out, InferenceAnswer answer, int row) throws IOException {
        double[] probabilities =
                answer.version().classes().probabilities(answer.outputs().get(0), row);
        out.writeStartArray();
        for (int i = 0; i < probabilities.length; i++) {
            out.writeStartArray();
            out.writeString(answer.version().classes().name(i));
            out.writeNumber(probabilities[i]);
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    public CompletionStage<HttpResponse> regress(HttpCall call) {
        return infer(call, version -> {
                    requireOneNumber(version);
                    return TensorFlowRequest.examples(call.body(), version.signature());
                })
                .thenApply(answer -> JsonReply.ok(out -> {
                    NdArray output = answer.outputs().get(0);
                    out.writeStartObject();
                    out.writeFieldName("results");
                    new JsonTensorWriter(out, JsonTensorWriter.NonFinite.AS_WORDS).flat(output);
                    out.writeEndObject();
                }));
    }
}
