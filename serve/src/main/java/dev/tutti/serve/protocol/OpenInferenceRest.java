package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelRegistry;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.ServedModel;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.VersionChoice;
import dev.tutti.serve.tensor.Datatype;
import dev.tutti.serve.tensor.JsonTensorWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The Open Inference Protocol (KServe v2) over REST, with the binary tensor extension. */
public final class OpenInferenceRest {
    private static final String HEADER_LENGTH = "inference-header-content-length";
    static final String PLATFORM = "tutti";

    private final InferenceService service;

    public OpenInferenceRest(InferenceService service) {
        this.service = service;
    }

    public CompletionStage<HttpResponse> server(HttpCall call) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("name", "tutti");
        about.put("version", dev.tutti.train.Version.current());
        about.put("extensions", List.of("binary_tensor_data", "model_repository"));
        return done(JsonReply.ok(about));
    }

    public CompletionStage<HttpResponse> live(HttpCall call) {
        return done(JsonReply.ok(Map.of("live", true)));
    }

    public CompletionStage<HttpResponse> ready(HttpCall call) {
        boolean ready = service.registry().isReady();
        return done(JsonReply.of(ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, Map.of("ready", ready)));
    }

    public CompletionStage<HttpResponse> modelReady(HttpCall call) {
        ModelVersion version = version(call);
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("name", version.name());
        about.put("ready", true);
        return done(JsonReply.ok(about));
    }

    public CompletionStage<HttpResponse> metadata(HttpCall call) {
        ModelVersion version = version(call);
        ServedModel model = service.registry().model(version.name());
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("name", version.name());
        about.put(
                "versions",
                model.versions().stream()
                        .map(one -> Long.toString(one.number()))
                        .toList());
        about.put("platform", PLATFORM);
        about.put("inputs", specs(version.signature().inputs()));
        about.put("outputs", specs(version.signature().outputs()));
        return done(JsonReply.ok(about));
    }

    private ModelVersion version(HttpCall call) {
        return service.registry().model(call.variable("model")).find(VersionChoice.version(call.variable("version")));
    }

    private static List<Map<String, Object>> specs(List<TensorSpec> specs) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (TensorSpec spec : specs) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", spec.name());
            one.put("datatype", Datatype.of(spec.type()).name());
            one.put("shape", spec.batchShape());
            list.add(one);
        }
        return list;
    }

    public CompletionStage<HttpResponse> infer(HttpCall call) throws IOException {
        byte[] body = call.body();
        OpenInferenceRequest request = OpenInferenceRequest.read(body, headerLength(call, body.length));
        Duration limit = request.timeoutMicros() > 0
                ? Duration.ofNanos(Math.min(request.timeoutMicros(), 1L << 40) * 1_000)
                : call.deadline(service.deadline());
        CompletableFuture<InferenceAnswer> answer = service.infer(
                call.variable("model"), VersionChoice.version(call.variable("version")), "v2", limit, version -> {
                    request.outputs(version.signature())
                            .forEach(output -> version.signature().output(output.name()));
                    return request.arrays(version.signature());
                });
        return call.cancelling(answer).thenApply(done -> reply(request, done));
    }

    private static int headerLength(HttpCall call, int bodyLength) {
        String said = call.request().headers().get(HEADER_LENGTH);
        if (said == null) {
            return bodyLength;
        }
        if (!said.matches("[0-9]{1,9}") || Integer.parseInt(said) > bodyLength) {
            throw ServeException.invalid("Inference-Header-Content-Length: expected the bytes of the JSON, at most "
                    + bodyLength + ", received '" + said.substring(0, Math.min(32, said.length())) + "'");
        }
        return Integer.parseInt(said);
    }

    private static HttpResponse reply(OpenInferenceRequest request, InferenceAnswer answer) {
        ByteArrayOutputStream binary = new ByteArrayOutputStream(0);
        byte[] json = JsonReply.bytes(out -> {
            out.writeStartObject();
            out.writeStringField("model_name", answer.version().name());
            out.writeStringField("model_version", Long.toString(answer.version().number()));
            if (request.id().isPresent()) {
                out.writeStringField("id", request.id().get());
            }
            out.writeArrayFieldStart("outputs");
            for (var wanted : request.outputs(answer.version().signature())) {
                NdArray array =
                        answer.outputs().get(answer.version().signature().output(wanted.name()));
                out.writeStartObject();
                out.writeStringField("name", wanted.name());
                out.writeStringField("datatype", Datatype.of(array.type()).name());
                out.writeFieldName("shape");
                long[] dims = array.shape().toArray();
                out.writeArray(dims, 0, dims.length);
                if (wanted.binary()) {
                    byte[] raw = Datatype.write(array);
                    binary.writeBytes(raw);
                    out.writeObjectFieldStart("parameters");
                    out.writeNumberField("binary_data_size", raw.length);
                    out.writeEndObject();
                } else {
                    out.writeFieldName("data");
                    new JsonTensorWriter(out, JsonTensorWriter.NonFinite.AS_NULL).flat(array);
                }
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        });
        if (binary.size() == 0) {
            return HttpResponse.of(HttpStatus.OK, MediaType.JSON, HttpData.wrap(json));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream(json.length + binary.size());
        all.writeBytes(json);
        all.writeBytes(binary.toByteArray());
        ResponseHeaders headers = ResponseHeaders.builder(HttpStatus.OK)
                .contentType(MediaType.OCTET_STREAM)
                .set(HEADER_LENGTH, Integer.toString(json.length))
                .build();
        return HttpResponse.of(headers, HttpData.wrap(all.toByteArray()));
    }

    // ---- the repository extension

    public CompletionStage<HttpResponse> index(HttpCall call) {
        ModelRegistry registry = service.registry();
        List<Map<String, Object>> list = new ArrayList<>();
        for (ServedModel model : registry.models()) {
            for (ModelVersion version : model.versions()) {
                list.add(entry(model.name(), Long.toString(version.number()), "READY", ""));
            }
            model.failures()
                    .forEach((number, why) -> list.add(entry(model.name(), Long.toString(number), "UNAVAILABLE", why)));
        }
        registry.outOfService().forEach(name -> list.add(entry(name, "", "UNAVAILABLE", "unloaded")));
        return done(JsonReply.ok(list));
    }

    private static Map<String, Object> entry(String name, String version, String state, String reason) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", name);
        entry.put("version", version);
        entry.put("state", state);
        entry.put("reason", reason);
        return entry;
    }

    public CompletionStage<HttpResponse> load(HttpCall call) {
        return changed(call, true);
    }

    public CompletionStage<HttpResponse> unload(HttpCall call) {
        return changed(call, false);
    }

    private CompletionStage<HttpResponse> changed(HttpCall call, boolean wanted) {
        String name = call.variable("model");
        return CompletableFuture.supplyAsync(
                () -> {
                    service.registry().inService(name, wanted);
                    return JsonReply.ok(Map.of());
                },
                call.context().blockingTaskExecutor());
    }

    private static CompletionStage<HttpResponse> done(HttpResponse response) {
        return CompletableFuture.completedFuture(response);
    }
}
