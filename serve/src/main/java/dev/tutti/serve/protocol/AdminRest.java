package dev.tutti.serve.protocol;

import com.linecorp.armeria.common.HttpResponse;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.metrics.ServingMetrics;
import dev.tutti.serve.model.ModelVersion;
import dev.tutti.serve.model.ServedModel;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.model.TrafficPolicy;
import dev.tutti.serve.tensor.Datatype;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Models with their versions, traffic and measurements; labels and steps back. */
public final class AdminRest {
    /** What is sent to set a label. */
    private record LabelRequest(Long version, Double share) {}

    private final InferenceService service;

    public AdminRest(InferenceService service) {
        this.service = service;
    }

    public CompletionStage<HttpResponse> models(HttpCall call) {
        return CompletableFuture.completedFuture(JsonReply.ok(Map.of(
                "models",
                service.registry().models().stream().map(this::describe).toList())));
    }

    public CompletionStage<HttpResponse> model(HttpCall call) {
        return CompletableFuture.completedFuture(
                JsonReply.ok(describe(service.registry().model(call.variable("model")))));
    }

    private Map<String, Object> describe(ServedModel model) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("name", model.name());
        about.put("ready", model.isReady());
        model.preferred().ifPresent(version -> about.put("current", version.number()));
        about.put("labels", model.policy().labels());
        if (model.policy().pinned() > 0) {
            about.put("pinned", model.policy().pinned());
        }
        List<Map<String, Object>> versions = new ArrayList<>();
        model.versions().forEach(version -> versions.add(describe(version)));
        about.put("versions", versions);
        if (!model.failures().isEmpty()) {
            about.put("failures", model.failures());
        }
        return about;
    }

    private Map<String, Object> describe(ModelVersion version) {
        ServingMetrics.VersionMetrics measured = service.metrics().of(version.name(), version.number());
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("version", version.number());
        about.put("made", version.madeAt());
        about.put("inputs", specs(version.signature().inputs()));
        about.put("outputs", specs(version.signature().outputs()));
        about.put("classes", version.classes().exist());
        about.put("parameterBytes", version.parameterBytes());
        version.metrics().ifPresent(metrics -> about.put("metrics", metrics));
        about.put("rows", measured.rows());
        about.put("queuedRows", version.queuedRows());
        about.put("latencySeconds", histogram(measured.latency()));
        about.put("batchRows", histogram(measured.batchRows()));
        return about;
    }

    private static Map<String, Object> histogram(dev.tutti.serve.metrics.BucketCounts counts) {
        Map<String, Object> about = new LinkedHashMap<>();
        about.put("bounds", counts.bounds());
        about.put("counts", counts.counts());
        for (double part : new double[] {0.5, 0.99}) {
            double value = counts.quantile(part);
            if (!Double.isNaN(value)) {
                about.put("p" + (int) Math.round(part * 100), value);
            }
        }
        return about;
    }

    private static List<Map<String, Object>> specs(List<TensorSpec> specs) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (TensorSpec spec : specs) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", spec.name());
            one.put("datatype", Datatype.of(spec.type()).name());
            one.put("shape", spec.shape().toArray());
            list.add(one);
        }
        return list;
    }

    /** {@code PUT /models/M/labels/L} with {@code {"version": 2, "share": 10}}. */
    public CompletionStage<HttpResponse> setLabel(HttpCall call) {
        LabelRequest wanted = Json.read(call.request().contentUtf8(), LabelRequest.class, "body");
        if (wanted.version == null) {
            throw ServeException.invalid("expected {\"version\": NUMBER, \"share\": NUMBER}: there is no 'version'");
        }
        TrafficPolicy.Label label = new TrafficPolicy.Label(wanted.version, wanted.share == null ? 0 : wanted.share);
        return changed(
                call,
                () -> service.registry()
                        .change(call.variable("model"), policy -> policy.label(call.variable("label"), label)));
    }

    public CompletionStage<HttpResponse> removeLabel(HttpCall call) {
        return changed(
                call,
                () -> service.registry()
                        .change(call.variable("model"), policy -> policy.without(call.variable("label"))));
    }

    /** {@code POST /models/M/rollback}: the version before the present one answers from now on. */
    public CompletionStage<HttpResponse> stepBack(HttpCall call) {
        return changed(call, () -> service.registry().stepBack(call.variable("model")));
    }

    /** {@code POST /models/M/follow}: the newest version answers again. */
    public CompletionStage<HttpResponse> followNewest(HttpCall call) {
        return changed(call, () -> service.registry().change(call.variable("model"), policy -> policy.pin(0)));
    }

    private CompletionStage<HttpResponse> changed(HttpCall call, Runnable change) {
        return CompletableFuture.supplyAsync(
                () -> {
                    change.run();
                    return JsonReply.ok(describe(service.registry().model(call.variable("model"))));
                },
                call.context().blockingTaskExecutor());
    }
}
