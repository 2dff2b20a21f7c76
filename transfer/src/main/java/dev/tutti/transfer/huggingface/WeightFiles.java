package dev.tutti.transfer.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.DidYouMean;
import dev.tutti.array.DType;
import dev.tutti.io.FileException;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The weights of a folder: {@code model.safetensors}, or the files that {@code model.safetensors.index.json} lists. */
final class WeightFiles {
    private final String where;
    private final Map<String, TensorFile> byTensor = new LinkedHashMap<>();

    private WeightFiles(String where) {
        this.where = where;
    }

    static WeightFiles in(Path folder) {
        Path single = folder.resolve("model.safetensors");
        Path index = folder.resolve("model.safetensors.index.json");
        WeightFiles files = new WeightFiles(folder.toString());
        if (Files.isRegularFile(single)) {
            files.add(TensorFile.open(single));
        } else if (Files.isRegularFile(index)) {
            Set<String> names = new TreeSet<>();
            JsonNode map = Json.read(index, JsonNode.class).path("weight_map");
            map.forEach(name -> names.add(name.asText()));
            for (String name : names) {
                if (name.contains("/") || name.contains("\\") || name.startsWith(".")) {
                    throw new FileException(index.toString(), "names a file outside of the folder: " + name);
                }
                files.add(TensorFile.open(folder.resolve(name)));
            }
        } else {
            throw new FileException(
                    folder.toString(),
                    "holds neither model.safetensors nor model.safetensors.index.json: other formats, such as"
                            + " pytorch_model.bin, can run code when they are read and are not");
        }
        return files;
    }

    static WeightFiles of(Path file) {
        WeightFiles files = new WeightFiles(file.toString());
        files.add(TensorFile.open(file));
        return files;
    }

    private void add(TensorFile file) {
        file.names().forEach(name -> byTensor.put(name, file));
    }

    Set<String> names() {
        return byTensor.keySet();
    }

    boolean has(String name) {
        return byTensor.containsKey(name);
    }

    /** A tensor as floats; belongs to the open scope. */
    Tensor tensor(String name) {
        Tensor tensor = stored(name);
        return tensor.type() == DType.FLOAT32 ? tensor : tensor.to(DType.FLOAT32);
    }

    /** A tensor in the type it is stored in; belongs to the open scope. */
    Tensor stored(String name) {
        TensorFile file = byTensor.get(name);
        if (file == null) {
            throw new FileException(where, "has no tensor '" + name + "'" + DidYouMean.hint(name, byTensor.keySet()));
        }
        return file.tensor(name);
    }
}
