package dev.tutti.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.json.Json;
import dev.tutti.nn.Layer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Lets the files that TorchScript layers refer to travel with a saved model.
 *
 * <p>Such layers may stand anywhere in a definition, also inside layers of the user's own, so they are found in its JSON.
 */
public final class ModuleFiles {
    private static final String TYPE = "torchScript";

    private ModuleFiles() {}

    /** Copies the files into a folder, as {@code module1.pt} and so on, and returns the definition that refers to the copies. */
    public static Layer gather(Layer definition, Path folder) {
        Map<String, String> copies = new LinkedHashMap<>();
        return replaced(
                definition,
                file -> copies.computeIfAbsent(file, source -> {
                    String name = "module" + (copies.size() + 1) + ".pt";
                    copy(Path.of(source), folder.resolve(name));
                    return name;
                }));
    }

    /** The definition read from a folder: files named without a place are those of the folder. */
    public static Layer resolve(Layer definition, Path folder) {
        return replaced(definition, file -> folder.resolve(file).toString());
    }

    /** The TorchScript files that a definition refers to, which run code once it is built. */
    public static List<Path> of(Layer definition) {
        List<Path> files = new ArrayList<>();
        replaced(definition, file -> {
            files.add(Path.of(file));
            return file;
        });
        return files;
    }

    private static void copy(Path source, Path target) {
        if (!Files.isReadable(source)) {
            throw new FileException(
                    source.toString(), "the module of a TorchScript layer is not there or not readable");
        }
        AtomicFile.write(target, out -> Files.copy(source, out));
    }

    private static Layer replaced(Layer definition, UnaryOperator<String> change) {
        JsonNode tree = Json.tree(definition);
        return replace(tree, change) ? Json.convert(tree, Layer.class, "the definition") : definition;
    }

    private static boolean replace(JsonNode node, UnaryOperator<String> change) {
        boolean changed = false;
        if (node instanceof ObjectNode object && TYPE.equals(object.path("type").asText()) && object.has("file")) {
            object.put("file", change.apply(object.get("file").asText()));
            changed = true;
        }
        for (JsonNode child : node) {
            changed |= replace(child, change);
        }
        return changed;
    }
}
