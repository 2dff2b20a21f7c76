package dev.tutti.train.checkpoint;

import dev.tutti.data.transform.Transform;
import dev.tutti.io.AtomicFile;
import dev.tutti.io.AtomicFolder;
import dev.tutti.io.FileException;
import dev.tutti.io.ModuleFiles;
import dev.tutti.io.TensorFile;
import dev.tutti.json.Json;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Parameter;
import dev.tutti.nn.Quantization;
import dev.tutti.nn.ShapeException;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.quantized.Int8Weight;
import dev.tutti.train.Evaluation;
import dev.tutti.train.Predictor;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.Version;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A model as a folder: everything needed to use it, to judge it and to know where it came from.
 *
 * <ul>
 *   <li>{@code model.json}: the definition and what it is fed
 *   <li>{@code weights.safetensors}: parameters and buffers by name, readable from Python; where members held parts of the model, one file
 *       of each and {@code weights.safetensors.index.json}
 *   <li>{@code module1.pt}, ...: the modules of layers that were written in Python
 *   <li>{@code quantization.json}: which layers answer in eight-bit integers; most models have none
 *   <li>{@code features.json}: what is done to raw features, and the names of the classes
 *   <li>{@code metrics.json}: how good it was when it was saved
 *   <li>{@code made.json}: data, seed, optimizer, loss, version
 * </ul>
 */
public record SavedModel(Model model, Features features, Evaluation metrics, Made made) implements AutoCloseable {
    /** What is done to raw features before the model sees them, and what its classes are called. */
    public record Features(List<Transform> transforms, List<String> classes) {
        public Features {
            transforms = transforms == null ? List.of() : List.copyOf(transforms);
            classes = classes == null ? List.of() : List.copyOf(classes);
        }
    }

    /** How the model was made. */
    public record Made(String at, String data, int epochs, TrainingConfig recipe, String tutti, String engine) {
        public static Made now(String data, int epochs, TrainingConfig recipe) {
            return new Made(
                    Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                    data,
                    epochs,
                    recipe,
                    Version.current(),
                    "libtorch " + Engine.version());
        }
    }

    private record ModelFile(Layer definition, List<Input> inputs) {}

    private static final String MODEL = "model.json";
    private static final String QUANTIZATION = "quantization.json";
    private static final String SCALE = ".scale";
    private static final String FEATURES = "features.json";
    private static final String METRICS = "metrics.json";
    private static final String MADE = "made.json";

    /** Writes the folder whole or not at all; a model that was there before is replaced. */
    public static void write(Path folder, Model model, Features features, Evaluation evaluation, Made made) {
        write(folder, model, features, evaluation, made, WeightFormat.of(model));
    }

    /** The same with weights in another format. */
    public static void write(
            Path folder, Model model, Features features, Evaluation evaluation, Made made, WeightFormat format) {
        write(
                folder,
                model.plan(),
                features,
                evaluation,
                made,
                format,
                inside -> writeWeights(model, inside.resolve(SavedWeights.FILE), format));
    }

    /**
     * Writes a model whose weights several members hold: the folder is whole or not there at all.
     *
     * @param part what this member holds of the model
     * @param weights lets all members write their weights into the folder that it is given
     */
    public static void writeParts(
            Path folder, Model part, Features features, Evaluation evaluation, Made made, Consumer<Path> weights) {
        write(folder, part.plan().whole(), features, evaluation, made, WeightFormat.of(part), weights);
    }

    private static void write(
            Path folder,
            ModelPlan plan,
            Features features,
            Evaluation evaluation,
            Made made,
            WeightFormat format,
            Consumer<Path> weights) {
        requireReplaceable(folder);
        AtomicFolder.write(folder, inside -> {
            Layer definition = ModuleFiles.gather(plan.definition(), inside);
            AtomicFile.write(inside.resolve(MODEL), Json.write(new ModelFile(definition, plan.inputs())));
            weights.accept(inside);
            if (!format.quantization().isNone()) {
                AtomicFile.write(inside.resolve(QUANTIZATION), Json.write(format.quantization()));
            }
            AtomicFile.write(inside.resolve(FEATURES), Json.write(features));
            if (evaluation != null) {
                AtomicFile.write(inside.resolve(METRICS), Json.write(evaluation));
            }
            AtomicFile.write(inside.resolve(MADE), Json.write(made));
        });
    }

    /** Writes the parameters and buffers of a model alone, by name, in a safetensors file of any size. */
    public static void writeWeights(Model model, Path file) {
        writeWeights(model, file, WeightFormat.of(model));
    }

    private static void writeWeights(Model model, Path file, WeightFormat format) {
        Set<String> rounded = model.parameters().stream()
                .filter(format.quantization()::rounds)
                .map(Parameter::name)
                .collect(Collectors.toSet());
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        try (Scope scope = Scope.open()) {
            for (Map.Entry<Slice, Tensor> each : model.held().entrySet()) {
                if (!each.getKey().isAll()) {
                    throw new FileException(
                            file.toString(),
                            "the model is a part of a whole one, which all members save together: during training, by a callback (Callbacks.finalModel)");
                }
                String name = each.getKey().parameter();
                if (rounded.contains(name)) {
                    Int8Weight weight = Int8Weight.of(each.getValue());
                    tensors.put(name, weight.bytes());
                    tensors.put(name + SCALE, weight.scales());
                } else {
                    tensors.put(name, each.getValue().to(format.type()));
                }
            }
            tensors.putAll(model.tables().named(false));
            TensorFile.write(file, tensors, Map.of());
        }
    }

    /**
     * Reads what {@link #writeWeights} wrote into a model of the same definition.
     *
     * @throws ShapeException if a parameter is missing or has another shape
     */
    public static void readWeights(Model model, Path file) {
        read(SavedWeights.ofFile(file), model, file);
    }

    private static void read(SavedWeights weights, Model model, Path from) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.held().forEach((slice, tensor) -> {
                if (!weights.names().contains(slice.parameter())
                        || !weights.shape(slice.parameter()).equals(slice.whole())) {
                    throw new ShapeException(from + " has no values for " + slice.parameter() + " " + slice.whole()
                            + ": it holds " + String.join(", ", weights.names()));
                }
                if (weights.names().contains(slice.parameter() + SCALE)) {
                    readRounded(weights, slice, tensor);
                } else {
                    weights.read(slice, tensor);
                }
            });
            model.tables().restore(weights.names(), weights::tensor);
        }
    }

    private static void readRounded(SavedWeights weights, Slice slice, Tensor into) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Tensor whole = new Int8Weight(weights.tensor(slice.parameter()), weights.tensor(slice.parameter() + SCALE))
                    .values();
            into.copy_(
                    whole.narrow(slice.axis(), slice.rows().from(), slice.rows().length()));
        }
    }

    /** The size of the weights of a saved model in its file. */
    public static long weightBytes(Path folder) {
        Path inside = AtomicFolder.readable(folder);
        requireModel(folder, inside);
        return SavedWeights.of(folder).bytes();
    }

    /** Saving replaces the folder whole, so it must not hold anything but a model. */
    private static void requireReplaceable(Path folder) {
        String[] entries = folder.toFile().list();
        if (entries != null && entries.length > 0 && !Files.exists(folder.resolve(MODEL))) {
            throw new FileException(
                    folder.toString(),
                    "holds other things than a saved model: choose another folder to save the model in");
        }
    }

    /** Loads a model. Definition and weights are data; code runs only if the model has {@link #scripts}. */
    public static SavedModel load(Path folder) {
        return load(folder, Model.Options.DEFAULT);
    }

    /** The TorchScript files of a saved model, whose code runs when it is loaded; most models have none. Nothing is loaded here. */
    public static List<Path> scripts(Path folder) {
        Path inside = AtomicFolder.readable(folder);
        return Files.isRegularFile(inside.resolve(MODEL))
                ? ModuleFiles.of(
                        ModuleFiles.resolve(Json.read(inside.resolve(MODEL), ModelFile.class).definition, inside))
                : List.of();
    }

    /** What a saved model computes, without its weights. */
    public static Layer definition(Path folder) {
        Path inside = AtomicFolder.readable(folder);
        requireModel(folder, inside);
        return ModuleFiles.resolve(Json.read(inside.resolve(MODEL), ModelFile.class).definition, inside);
    }

    /** All that a saved model says of itself, without its weights: parts of it can be built. */
    public static ModelDescription describe(Path folder, Model.Options options) {
        Path inside = AtomicFolder.readable(folder);
        requireModel(folder, inside);
        ModelFile saved = Json.read(inside.resolve(MODEL), ModelFile.class);
        return new ModelDescription(
                ModelPlan.of(ModuleFiles.resolve(saved.definition, inside), options, saved.inputs),
                Json.read(inside.resolve(FEATURES), Features.class),
                metrics(inside),
                Json.read(inside.resolve(MADE), Made.class));
    }

    private static Evaluation metrics(Path inside) {
        return Files.exists(inside.resolve(METRICS)) ? Json.read(inside.resolve(METRICS), Evaluation.class) : null;
    }

    /** Reads what a part of a saved model holds, and nothing else of its weights. */
    public static void readWeights(Path folder, Model part) {
        read(SavedWeights.of(folder), part, folder);
    }

    /** What is done to raw features before a saved model sees them. */
    public static Features features(Path folder) {
        Path inside = AtomicFolder.readable(folder);
        requireModel(folder, inside);
        return Json.read(inside.resolve(FEATURES), Features.class);
    }

    private static void requireModel(Path folder, Path inside) {
        if (!Files.isRegularFile(inside.resolve(MODEL))) {
            throw new FileException(
                    folder.toString(),
                    Files.exists(inside)
                            ? "is not a saved model: there is no " + MODEL + " in it"
                            : "does not exist: expected the folder of a saved model",
                    new NoSuchFileException(inside.resolve(MODEL).toString()));
        }
    }

    /** Loads a model, for instance onto another device. */
    public static SavedModel load(Path folder, Model.Options options) {
        Path inside = AtomicFolder.readable(folder);
        Path rounding = inside.resolve(QUANTIZATION);
        boolean rounded = options.inference() && Files.exists(rounding); // one that learns is float32 again
        ModelDescription saved =
                describe(folder, rounded ? options.quantization(Json.read(rounding, Quantization.class)) : options);
        Model model = saved.plan().build();
        try {
            readWeights(folder, model);
            return new SavedModel(model, saved.features(), saved.metrics(), saved.made());
        } catch (RuntimeException e) {
            model.close();
            throw e;
        }
    }

    /** A trainer that evaluates, predicts or learns on with this model, as it was made; the model is closed with this object. */
    public Trainer trainer() {
        TrainingConfig config = made.recipe;
        return Trainer.of(
                        model,
                        TrainingConfig.of(config.optimizer(), config.loss()).metrics(config.metrics()))
                .preprocessing(features.transforms.toArray(Transform[]::new))
                .classes(features.classes);
    }

    /** The same without the weights. */
    public ModelDescription description() {
        return new ModelDescription(model.plan(), features, metrics, made);
    }

    /** Asks this model. */
    public Predictor predictor() {
        return Predictor.of(this);
    }

    @Override
    public void close() {
        model.close();
    }
}
