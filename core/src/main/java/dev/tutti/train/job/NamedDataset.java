package dev.tutti.train.job;

import dev.tutti.DidYouMean;
import dev.tutti.data.Dataset;
import dev.tutti.data.Mnist;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Datasets that can be asked for by a short name, or by the file that holds their recipe. */
public final class NamedDataset {
    /** Which part of a built-in dataset is meant. */
    public enum Part {
        TRAIN,
        TEST
    }

    private record Parts(Supplier<Dataset> train, Supplier<Dataset> test) {}

    private static final Map<String, Parts> BUILT_IN =
            new TreeMap<>(Map.of("mnist", new Parts(Mnist::train, Mnist::test)));

    private NamedDataset() {}

    /** The dataset of a name such as {@code mnist}, or of a file such as {@code digits.yaml}. */
    public static Dataset read(String name, Part part) {
        Parts parts = BUILT_IN.get(name);
        if (parts != null) {
            return (part == Part.TRAIN ? parts.train : parts.test).get();
        }
        if (isFile(name)) {
            return Json.read(Path.of(name), Dataset.class);
        }
        throw new ConfigException("unknown dataset '" + name + "'" + DidYouMean.hint(name, names())
                + " A recipe in a file is named by the file, such as digits.yaml.");
    }

    static boolean isName(String name) {
        return BUILT_IN.containsKey(name);
    }

    static boolean isFile(String name) {
        return name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json");
    }

    /** The names of the built-in datasets. */
    public static List<String> names() {
        return List.copyOf(BUILT_IN.keySet());
    }
}
