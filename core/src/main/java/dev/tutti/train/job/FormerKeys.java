package dev.tutti.train.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.json.Places;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keys of job files that have another name now. They work for one version, and the log says so. */
final class FormerKeys {
    private static final Logger LOG = LoggerFactory.getLogger(FormerKeys.class);

    /** The present pointer of each former one; the last part is the key. */
    private static final Map<String, String> RENAMED = Map.of(
            "/threads", "/cores",
            "/features", "/preprocessing",
            "/cluster/threads", "/cluster/workersPerProcess");

    private FormerKeys() {}

    /** The tree with present names only; a key under its present name wins. Every former name is logged with its place. */
    static JsonNode replaced(JsonNode tree, Places places) {
        JsonNode changed = tree.deepCopy();
        for (Map.Entry<String, String> key : RENAMED.entrySet()) {
            if (!tree.at(key.getKey()).isMissingNode()) {
                LOG.warn("{}: {}", places.at(key.getKey()), note(last(key.getKey()), last(key.getValue())));
                rename((ObjectNode) changed.at(parent(key.getKey())), last(key.getKey()), last(key.getValue()));
            }
        }
        return changed;
    }

    private static void rename(ObjectNode object, String former, String present) {
        Map<String, JsonNode> all = new LinkedHashMap<>();
        object.properties().forEach(key -> {
            if (!key.getKey().equals(former)) {
                all.put(key.getKey(), key.getValue());
            } else if (!object.has(present)) {
                all.put(present, key.getValue());
            }
        });
        object.removeAll();
        object.setAll(all);
    }

    /** The present name of a path such as {@code cluster.threads}; a former one is logged. */
    static String present(String path, String said) {
        String pointer = "/" + path.replace('.', '/');
        String present = RENAMED.get(pointer);
        if (present == null) {
            return path;
        }
        LOG.warn("{}: {}", said, note(last(pointer), last(present)));
        return present.substring(1).replace('/', '.');
    }

    /** The former pointer of a present one. */
    static Optional<String> former(String pointer) {
        return RENAMED.entrySet().stream()
                .filter(key -> key.getValue().equals(pointer))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static String note(String former, String present) {
        return "'" + former + "' is called '" + present + "' now; the former name works in this version only";
    }

    private static String parent(String pointer) {
        return pointer.substring(0, pointer.lastIndexOf('/'));
    }

    private static String last(String pointer) {
        return pointer.substring(pointer.lastIndexOf('/') + 1);
    }
}
