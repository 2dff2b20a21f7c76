package dev.tutti.train.transfer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.TuttiException;
import dev.tutti.json.Json;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.train.checkpoint.SavedModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Models that stand on a trained one: its layers come first, under the name {@value #BASE}, then a head of one's own. */
public final class TransferGraph {
    /** The name of the trained part. */
    public static final String BASE = "encoder";

    private TransferGraph() {}

    /**
     * A model with the trained layers of a saved one, which are frozen, and a new head.
     *
     * @param saved a saved model or the run that made it
     * @param until the last layer that is kept; empty for all of them
     */
    public static Model createTransferGraph(Path saved, Optional<String> until, Layer... head) {
        Model model = fineTuneGraph(saved, until, head);
        model.freeze(BASE);
        return model;
    }

    /** The same with all of it learning. */
    public static Model fineTuneGraph(Path saved, Optional<String> until, Layer... head) {
        try (SavedModel base = SavedModel.load(saved)) {
            Layer definition = definition(base.model().definition(), until, List.of(head));
            Model model =
                    Model.of(definition, Model.Options.DEFAULT, base.model().inputs());
            Adoption.from(saved).under(BASE).into(model);
            return model;
        }
    }

    /** The layers of a trained model up to one of them, and a head behind them. */
    public static Layer definition(Layer base, Optional<String> until, List<Layer> head) {
        List<Layer> layers = new ArrayList<>(List.of(cut(base, until).named(BASE)));
        layers.addAll(head);
        return Sequential.of(layers);
    }

    private static Layer cut(Layer base, Optional<String> until) {
        if (until.isEmpty()) {
            return base;
        }
        ObjectNode tree = Json.tree(base);
        if (tree.path("nodes") instanceof ArrayNode nodes) {
            cutGraph(tree, nodes, until.get());
        } else if (base instanceof Sequential sequential) {
            return cutSequential(sequential, until.get());
        } else {
            throw new TuttiException("a " + base.kind() + " cannot be cut after '" + until.get()
                    + "': expected a sequential or a graph");
        }
        return Json.convert(tree, Layer.class, "the model up to " + until.get());
    }

    private static Layer cutSequential(Sequential base, String until) {
        List<String> names = base.names();
        int last = names.indexOf(until);
        if (last < 0) {
            throw unknown(until, names);
        }
        return Sequential.of(base.layers().subList(0, last + 1));
    }

    private static void cutGraph(ObjectNode tree, ArrayNode nodes, String until) {
        List<String> names = new ArrayList<>();
        nodes.forEach(node -> names.add(node.get("name").asText()));
        if (!names.contains(until)) {
            throw unknown(until, names);
        }
        Set<String> needed = new HashSet<>(Set.of(until));
        for (int i = nodes.size() - 1; i >= 0; i--) {
            JsonNode node = nodes.get(i);
            if (needed.contains(node.get("name").asText())) {
                node.get("from").forEach(from -> needed.add(from.asText()));
            } else {
                nodes.remove(i);
            }
        }
        tree.putArray("outputs").add(until);
    }

    private static TuttiException unknown(String until, List<String> names) {
        return new TuttiException(
                "there is no layer '" + until + "' to end with" + dev.tutti.DidYouMean.hint(until, names));
    }
}
