package dev.tutti.train.multitask;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.TuttiException;
import dev.tutti.json.Json;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which tasks each parameter of a graph serves: those whose outputs depend on its layer. */
public final class TaskParameters {
    private TaskParameters() {}

    /**
     * The tasks of each parameter, in the order of {@link Model#parameters}; tasks have the order of the graph's outputs.
     *
     * @throws TuttiException if the model is no graph
     */
    public static List<BitSet> of(Model model) {
        JsonNode tree = Json.tree(model.definition());
        JsonNode nodes = tree.path("nodes");
        if (!nodes.isArray() || !tree.path("outputs").isArray()) {
            throw new TuttiException("expected a model of type graph with an output for each task, received a "
                    + model.definition().kind());
        }
        Map<String, BitSet> byLayer = new HashMap<>();
        for (int task = 0; task < tree.get("outputs").size(); task++) {
            byLayer.computeIfAbsent(tree.get("outputs").get(task).asText(), name -> new BitSet())
                    .set(task);
        }
        for (int i = nodes.size() - 1; i >= 0; i--) { // a layer comes behind those it is made of
            BitSet served = byLayer.computeIfAbsent(nodes.get(i).get("name").asText(), name -> new BitSet());
            nodes.get(i)
                    .get("from")
                    .forEach(from -> byLayer.computeIfAbsent(from.asText(), name -> new BitSet())
                            .or(served));
        }
        List<BitSet> all = new ArrayList<>();
        for (Parameter parameter : model.parameters()) {
            BitSet served = new BitSet();
            byLayer.forEach((layer, tasks) -> {
                if (parameter.name().startsWith(layer + ".")) {
                    served.or(tasks);
                }
            });
            all.add(served);
        }
        return all;
    }
}
