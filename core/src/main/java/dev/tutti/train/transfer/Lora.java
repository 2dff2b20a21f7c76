package dev.tutti.train.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.TuttiException;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Layer;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Low-rank adapters of a whole model: on every dense layer and every attention of its definition, or of a part of it.
 *
 * <pre>{@code
 * Layer adapted = Lora.adapt(definition, new LowRankAdapter(8, 16));
 * Model model = Model.of(adapted, options, inputs);
 * Adoption.from(base).into(model);
 * Lora.freezeBase(model, Set.of());              // only the adapters learn
 * ... train ...
 * Lora.save(model, Path.of("adapter.safetensors"));   // kilobytes
 * try (Model merged = Lora.merge(model)) { ... }      // an ordinary model without adapters
 * }</pre>
 *
 * <p>Several adapters over one base: {@link #load} writes another one into the model that is there.
 */
public final class Lora {
    private static final Set<String> ADAPTABLE = Set.of("dense", "attention", "transformerEncoder");
    private static final String SETTING = "lora";

    private Lora() {}

    /** The definition with adapters on all of its dense layers and attentions. */
    public static Layer adapt(Layer definition, LowRankAdapter adapter) {
        JsonNode tree = Json.tree(definition);
        if (set(tree, Json.tree(adapter)) == 0) {
            throw new TuttiException("the model has no layer that takes an adapter: expected one of " + ADAPTABLE);
        }
        return Json.convert(tree, Layer.class, "the model with adapters");
    }

    private static int set(JsonNode node, JsonNode adapter) {
        int count = 0;
        if (node instanceof ObjectNode object
                && ADAPTABLE.contains(object.path("type").asText())) {
            object.set(SETTING, adapter);
            count++;
        }
        for (JsonNode child : node) {
            count += child.isTextual() ? 0 : set(child, adapter);
        }
        return count;
    }

    /** The definition without adapters. */
    public static Layer plain(Layer definition) {
        JsonNode tree = Json.tree(definition);
        remove(tree);
        return Json.convert(tree, Layer.class, "the model without adapters");
    }

    private static void remove(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.remove(SETTING);
        }
        node.forEach(Lora::remove);
    }

    /** Whether a model has adapters. */
    public static boolean hasAdapters(Model model) {
        return model.parameters().stream().anyMatch(Lora::isAdapter);
    }

    /** Whether a parameter belongs to an adapter. */
    public static boolean isAdapter(Parameter parameter) {
        return parameter.name().endsWith("lora_a") || parameter.name().endsWith("lora_b");
    }

    /** Freezes everything but adapters and the parameters that are named, such as those of a new head. */
    public static void freezeBase(Model model, Set<String> learning) {
        for (Parameter parameter : model.parameters()) {
            if (!isAdapter(parameter) && !learning.contains(parameter.name())) {
                model.freeze(parameter.name());
            }
        }
    }

    /** Writes what learns and nothing else: the adapters, and a head where there is one. */
    public static void save(Model model, Path file) {
        Map<String, Tensor> learned = new LinkedHashMap<>();
        Set<String> frozen = model.frozen();
        try (Scope scope = Scope.open()) {
            model.held().forEach((slice, tensor) -> {
                boolean parameter =
                        model.parameters().stream().anyMatch(p -> p.name().equals(slice.parameter()));
                if (parameter && !frozen.contains(slice.parameter())) {
                    learned.put(slice.parameter(), tensor);
                }
            });
            TensorFile.write(file, learned, Map.of("tutti.adapter", "lora"));
        }
    }

    /** Writes the adapters of a file into a model of the same base. */
    public static AdoptionReport load(Model model, Path file) {
        AdoptionReport report = Adoption.from(file).into(model);
        if (report.count(AdoptionReport.Fate.LEFT) + report.count(AdoptionReport.Fate.MISMATCHED) > 0) {
            throw new TuttiException(file + " does not belong to this model: " + report.summary());
        }
        return report;
    }

    /** The same function without adapters: what they have learned is added to the weights. The caller closes it. */
    public static Model merge(Model model) {
        Model merged = Model.of(plain(model.definition()), model.options(), model.inputs());
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> all = new LinkedHashMap<>();
            model.held().forEach((slice, tensor) -> all.put(slice.parameter(), tensor));
            double scale = scale(Json.tree(model.definition()));
            for (Map.Entry<Slice, Tensor> each : merged.held().entrySet()) {
                String name = each.getKey().parameter();
                each.getValue().copy_(all.get(name));
                String beside = beside(name);
                if (all.containsKey(beside + "lora_a")) {
                    Tensor a = all.get(beside + "lora_a");
                    Tensor b = all.get(beside + "lora_b");
                    each.getValue().add_(b.matmul(a), scale);
                }
            }
        }
        return merged;
    }

    /** What the names of an adapter's parameters begin with, for those of the matrix it belongs to. */
    private static String beside(String weight) {
        return weight.endsWith("weight") ? weight.substring(0, weight.length() - "weight".length()) : weight + ".";
    }

    private static double scale(JsonNode tree) {
        JsonNode setting = tree.findValue(SETTING);
        if (setting == null) {
            throw new TuttiException("the model has no adapters to merge");
        }
        return setting.get("alpha").doubleValue() / setting.get("rank").intValue();
    }
}
