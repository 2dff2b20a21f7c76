package dev.tutti.golden;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A module made by make_torchscript.py, and what PyTorch computed with it. */
public record TorchScriptCase(
        String name,
        Path file,
        List<NdArray> inputs,
        List<NdArray> evaluated,
        List<NdArray> trained,
        Map<String, NdArray> gradients,
        Map<String, NdArray> buffers) {
    public static List<String> names() {
        return List.of("classifier", "tagger", "pair", "odd");
    }

    public static TorchScriptCase of(String name) {
        try {
            JsonNode node = Json.json()
                    .readTree(Files.readString(file("expected.json")))
                    .get(name);
            return new TorchScriptCase(
                    name,
                    file(name + ".pt"),
                    list(node.get("inputs")),
                    list(node.get("eval")),
                    list(node.get("train")),
                    map(node.get("gradients")),
                    map(node.get("buffers")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of the folder the script writes to. */
    public static Path file(String name) {
        try {
            return Path.of(TorchScriptCase.class
                    .getResource("/golden/torchscript/" + name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static List<NdArray> list(JsonNode node) {
        List<NdArray> arrays = new ArrayList<>();
        node.forEach(array -> arrays.add(array(array)));
        return arrays;
    }

    private static Map<String, NdArray> map(JsonNode node) {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        node.properties().forEach(entry -> arrays.put(entry.getKey(), array(entry.getValue())));
        return arrays;
    }

    private static NdArray array(JsonNode node) {
        long[] shape = longs(node.get("shape"));
        DType type = DType.named(node.get("type").asText());
        if (!type.isFloating()) {
            return NdArray.of(longs(node.get("data")), shape).to(type);
        }
        double[] data = new double[node.get("data").size()];
        for (int i = 0; i < data.length; i++) {
            data[i] = node.get("data").get(i).asDouble();
        }
        return NdArray.wrap(DType.FLOAT64, Shape.of(shape), data).to(type);
    }

    private static long[] longs(JsonNode node) {
        long[] values = new long[node.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = node.get(i).asLong();
        }
        return values;
    }

    @Override
    public String toString() {
        return name;
    }
}
