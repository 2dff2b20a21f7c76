package dev.tutti.transfer.huggingface;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.io.AtomicFolder;
import dev.tutti.io.FileException;
import dev.tutti.io.TensorFile;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.nn.Model;
import dev.tutti.nn.ShapeException;
import dev.tutti.nn.Slice;
import dev.tutti.optim.Optimizers;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.checkpoint.SavedModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A model of Hugging Face's layout ({@code config.json}, {@code model.safetensors}, {@code tokenizer.json}) or a residual network of
 * torchvision in a safetensors file, as an ordinary model.
 *
 * <pre>{@code
 * try (ForeignModel foreign = ForeignModel.read(Path.of("all-MiniLM-L6-v2"))) {
 *     foreign.save(Path.of("models/minilm"));
 * }
 * }</pre>
 *
 * <p>The saved model keeps the files it came from beside it, in the folder {@value #KEPT}, and can be {@linkplain #writeBack written
 * back}, also after it has learned on.
 */
public final class ForeignModel implements AutoCloseable {
    /** The folder inside a saved model that holds what belongs to the other layout. */
    public static final String KEPT = "huggingface";

    private static final String REST = "rest.safetensors";
    private static final String NAMES = "names.txt";
    private static final String CONFIG = "config.json";
    private static final List<String> FILES = List.of(
            CONFIG, "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "modules.json");

    private final Path source;
    private final Model model;
    private final Set<String> left;

    private ForeignModel(Path source, Model model, Set<String> left) {
        this.source = source;
        this.model = model;
        this.left = left;
    }

    /**
     * Reads a model.
     *
     * @param source a folder with {@code config.json}, or a safetensors file with the state of a residual network
     * @throws ConfigException if it is of a kind that is not known
     * @throws FileException if a file is missing or a tensor is
     */
    public static ForeignModel read(Path source) {
        WeightFiles files = weights(source);
        ForeignLayout layout = layout(source, files);
        Model model = Model.of(layout.definition(), Model.Options.DEFAULT, layout.inputs());
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> targets = new LinkedHashMap<>();
            model.held().forEach((slice, tensor) -> targets.put(slice.parameter(), tensor));
            Set<String> left = new LinkedHashSet<>(files.names());
            for (TensorRule rule : layout.rules()) {
                Tensor value = rule.read(files);
                Tensor target = targets.remove(rule.name());
                if (target == null || !target.shape().equals(value.shape())) {
                    throw new ShapeException(source + ": " + rule.stored() + " is " + value.shape() + " for "
                            + rule.name() + ": expected " + (target == null ? "nothing" : target.shape()));
                }
                target.copy_(value);
                rule.stored().forEach(left::remove);
            }
            if (!targets.isEmpty()) {
                throw new ShapeException(source + " has no values for " + targets.keySet());
            }
            return new ForeignModel(source, model, left);
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    private static WeightFiles weights(Path source) {
        if (Files.isDirectory(source)) {
            return WeightFiles.in(source);
        }
        if (!Files.isRegularFile(source)) {
            throw new FileException(source.toString(), "does not exist: expected a folder of Hugging Face's layout");
        }
        return WeightFiles.of(source);
    }

    private static ForeignLayout layout(Path source, WeightFiles files) {
        Path config = source.resolve(CONFIG);
        if (Files.isRegularFile(config)) {
            return ForeignLayout.of(Json.read(config, JsonNode.class), files.names(), SentencePooling.in(source));
        }
        if (ResNetLayout.matches(files.names())) {
            return new ResNetLayout(files);
        }
        throw new ConfigException(source + ": expected a folder with " + CONFIG
                + ", or a safetensors file with the state of a ResNet of torchvision");
    }

    public Model model() {
        return model;
    }

    /** Tensors that the model does not compute with, such as a pooler beside a sentence encoder. */
    public Set<String> left() {
        return left;
    }

    /** Saves the model, and beside it what is needed to write it back. */
    public void save(Path folder) {
        TrainingConfig recipe = TrainingConfig.of(Optimizers.adamW(2e-5), Losses.softmaxCrossEntropy());
        SavedModel.write(
                folder,
                model,
                new SavedModel.Features(List.of(), List.of()),
                null,
                SavedModel.Made.now("imported from " + source.toAbsolutePath().getFileName(), 0, recipe));
        if (!Files.isDirectory(source)) {
            return;
        }
        AtomicFolder.write(folder.resolve(KEPT), kept -> {
            for (String name : FILES) {
                if (Files.isRegularFile(source.resolve(name))) {
                    Files.copy(source.resolve(name), kept.resolve(name));
                }
            }
            copyPooling(kept);
            try (Scope scope = Scope.open()) {
                Map<String, Tensor> rest = new LinkedHashMap<>();
                WeightFiles files = weights(source);
                left.forEach(name -> rest.put(name, files.stored(name)));
                TensorFile.write(kept.resolve(REST), rest, Map.of("format", "pt"));
                Files.writeString(kept.resolve(NAMES), String.join("\n", files.names()));
            }
        });
    }

    private void copyPooling(Path kept) throws IOException {
        Path pooling = source.resolve("1_Pooling").resolve(CONFIG);
        if (Files.isRegularFile(pooling)) {
            Files.createDirectories(kept.resolve("1_Pooling"));
            Files.copy(pooling, kept.resolve("1_Pooling").resolve(CONFIG));
        }
    }

    /**
     * Writes a model in the layout that it was read from.
     *
     * @param model the model, or one that has it under a name, such as {@code encoder}
     * @param imported the saved model that was imported first
     * @param prefix the name of the imported part in the model with a dot behind it; empty where it is the whole
     * @param folder where {@code model.safetensors} and the other files go
     */
    public static void writeBack(Model model, Path imported, String prefix, Path folder) {
        Path kept = imported.resolve(KEPT);
        if (!Files.isRegularFile(kept.resolve(CONFIG))) {
            throw new FileException(
                    imported.toString(), "was not imported from Hugging Face's layout: there is no " + KEPT + " in it");
        }
        WeightFiles rest = WeightFiles.of(kept.resolve(REST));
        JsonNode config = Json.read(kept.resolve(CONFIG), JsonNode.class);
        AtomicFolder.write(folder, out -> {
            try (Scope scope = Scope.open()) {
                Map<String, Tensor> values = new LinkedHashMap<>();
                for (Map.Entry<Slice, Tensor> each : model.held().entrySet()) {
                    values.put(each.getKey().parameter(), each.getValue());
                }
                Map<String, Tensor> tensors = new LinkedHashMap<>();
                Set<String> names = new LinkedHashSet<>(Files.readAllLines(kept.resolve(NAMES)));
                for (TensorRule rule : rulesOf(config, names, kept)) {
                    Tensor value = values.get(prefix + rule.name());
                    if (value == null) {
                        throw new ConfigException("the model has no " + prefix + rule.name() + " to write as "
                                + rule.stored() + ": it is another one than " + imported);
                    }
                    rule.write(value, tensors);
                }
                rest.names().forEach(name -> tensors.put(name, rest.stored(name)));
                TensorFile.write(out.resolve("model.safetensors"), tensors, Map.of("format", "pt"));
            }
            for (String name : FILES) {
                if (Files.isRegularFile(kept.resolve(name))) {
                    Files.copy(kept.resolve(name), out.resolve(name));
                }
            }
            Path pooling = kept.resolve("1_Pooling").resolve(CONFIG);
            if (Files.isRegularFile(pooling)) {
                Files.createDirectories(out.resolve("1_Pooling"));
                Files.copy(pooling, out.resolve("1_Pooling").resolve(CONFIG));
            }
        });
    }

    private static List<TensorRule> rulesOf(JsonNode config, Set<String> names, Path kept) {
        return ForeignLayout.of(config, names, SentencePooling.in(kept)).rules();
    }

    @Override
    public void close() {
        model.close();
    }
}
