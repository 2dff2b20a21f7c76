package dev.tutti.io;

import static dev.tutti.golden.Close.assertClose;
import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.conv2d;
import static dev.tutti.nn.Layers.convTranspose2d;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.nn.Layers.globalAvgPool2d;
import static dev.tutti.nn.Layers.globalMaxPool1d;
import static dev.tutti.nn.Layers.gru;
import static dev.tutti.nn.Layers.lstm;
import static dev.tutti.nn.Layers.maxPool2d;
import static dev.tutti.nn.Layers.positionalEncoding;
import static dev.tutti.nn.Layers.residual;
import static dev.tutti.nn.Layers.torchScript;
import static dev.tutti.nn.Layers.transformerEncoder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.golden.TorchScriptCase;
import dev.tutti.json.Json;
import dev.tutti.nn.BuildContext;
import dev.tutti.nn.ForwardContext;
import dev.tutti.nn.Graph;
import dev.tutti.nn.Input;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.nn.UnsupportedLayerException;
import dev.tutti.tensor.Randomness;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TorchScriptFileTest {
    private static final Path CLASSIFIER = TorchScriptCase.file("classifier.pt");

    @TempDir
    Path folder;

    /** Models to export. What they compute is also written to target/exported, where check_export.py compares it in Python. */
    enum Exported {
        CNN(
                Sequential.of(
                        conv2d(4, 3).same().relu(),
                        maxPool2d(2),
                        conv2d(6, 3).stride(2).noBias().gelu(),
                        flatten(),
                        dropout(0.5),
                        Sequential.of(dense(8).tanh(), dense(3)).named("head")),
                Input.of(2, 9, 9)),
        NORMALISED(
                Sequential.of(
                        conv2d(4, 3).same(),
                        batchNorm().relu(),
                        residual(conv2d(4, 3).same(), batchNorm()).silu(),
                        convTranspose2d(3, 2).stride(2),
                        globalAvgPool2d(),
                        dense(3)),
                Input.of(2, 8, 8)),
        RECURRENT(Sequential.of(embedding(9, 5), lstm(6).sequence().bidirectional(), gru(4), dense(2)), Input.ids(7)),
        TRANSFORMER(
                Sequential.of(
                        embedding(9, 8), positionalEncoding(), transformerEncoder(2), globalMaxPool1d(), dense(3)),
                Input.ids(6)),
        GRAPH(
                Graph.inputs("left", "right")
                        .add("a_b", dense(4).relu(), "left")
                        .add("class", dense(4).sigmoid(), "right")
                        .add("training", dense(2), "a_b")
                        .outputs("training", "class"),
                Input.of(3),
                Input.of(5)),
        IMPORTED(torchScript(CLASSIFIER), Input.of(1, 8, 8)),
        IMPORTED_BODY(
                Sequential.of(torchScript(CLASSIFIER).named("body").relu(), dropout(0.1), dense(2).named("head")),
                Input.of(1, 8, 8)),
        IMPORTED_TAGGER(Sequential.of(torchScript(TorchScriptCase.file("tagger.pt")), dense(2)), Input.ids(7)),
        IMPORTED_PAIR(torchScript(TorchScriptCase.file("pair.pt")).relu(), Input.of(3), Input.ids()),
        IMPORTED_ODD(Sequential.of(torchScript(TorchScriptCase.file("odd.pt"))), Input.of(4));

        private final Layer definition;
        private final List<Input> inputs;

        Exported(Layer definition, Input... inputs) {
            this.definition = definition;
            this.inputs = List.of(inputs);
        }

        Model model() {
            return Model.of(definition, Model.Options.DEFAULT, inputs);
        }

        List<Tensor> batch() {
            List<Tensor> batch = new ArrayList<>();
            try (Randomness random = new Randomness(1)) {
                for (Input input : inputs) {
                    Tensor x = Tensor.zeros(input.shape().prepend(4), DType.FLOAT32);
                    random.uniform_(x, 0, 3);
                    batch.add(x.to(input.type()));
                }
            }
            return batch;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theFileComputesWhatTheModelComputes(Exported exported) throws IOException {
        Path file = Path.of("target/exported/" + exported + ".pt");
        try (Model model = exported.model();
                Scope scope = Scope.open()) {
            model.training(true);
            model.forward(exported.batch()); // moves running statistics
            model.training(false);
            model.vector().values().add_(0.01); // no longer the values of an imported file
            boolean several = model.parameters().size() > 1;
            if (several) {
                model.freeze(model.parameters().get(0).name());
            }
            TorchScriptFile.write(model, file);
            List<Tensor> expected = model.forward(exported.batch());
            try (ScriptModule module = ScriptModule.load(file)) {
                List<Tensor> actual = module.forward(exported.batch());
                assertThat(actual).hasSameSizeAs(expected);
                for (int i = 0; i < expected.size(); i++) {
                    assertClose(actual.get(i).toArray(), expected.get(i).toArray(), 1e-6, exported + " " + i);
                }
                assertThat(module.parameters()).hasSameSizeAs(model.parameters());
                module.training(true);
                module.forward(exported.batch()).stream()
                        .map(Tensor::sum)
                        .reduce(Tensor::add)
                        .orElseThrow()
                        .backward();
                List<Tensor> parameters = List.copyOf(module.parameters().values());
                assertThat(parameters)
                        .filteredOn(p -> p.gradient().isPresent())
                        .hasSize(parameters.size() - (several ? 1 : 0));
                assertThat(parameters.get(0).gradient().isEmpty())
                        .as("the first is frozen")
                        .isEqualTo(several);
            }
            Files.writeString(
                    Path.of("target/exported/" + exported + ".json"), Json.write(forPython(exported, expected)));
        }
    }

    private static Map<String, Object> forPython(Exported exported, List<Tensor> outputs) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put(
                "inputs",
                exported.batch().stream().map(TorchScriptFileTest::forPython).toList());
        values.put(
                "outputs", outputs.stream().map(TorchScriptFileTest::forPython).toList());
        return values;
    }

    private static Map<String, Object> forPython(Tensor tensor) {
        NdArray array = tensor.toArray();
        return Map.of("type", array.type().toString(), "shape", array.shape().toArray(), "data", array.data());
    }

    @Test
    void namesAreTheModelsAsFarAsPythonAllowsThem() {
        assertThat(names(Exported.CNN))
                .containsExactly(
                        "conv2d1.weight",
                        "conv2d1.bias",
                        "conv2d2.weight",
                        "head.dense1.weight",
                        "head.dense1.bias",
                        "head.dense2.weight",
                        "head.dense2.bias");
        assertThat(names(Exported.GRAPH))
                .containsExactly(
                        "a_b.weight", "a_b.bias", "_class.weight", "_class.bias", "_training.weight", "_training.bias");
        assertThat(names(Exported.IMPORTED)).contains("body.0.weight", "head.bias");
        assertThat(names(Exported.IMPORTED_BODY)).contains("body.body.0.weight", "body.head.bias", "head.weight");
    }

    private static List<String> names(Exported exported) {
        try (Model model = exported.model();
                ScriptModule module = TorchScriptFile.module(model);
                Scope scope = Scope.open()) {
            return List.copyOf(module.parameters().keySet());
        }
    }

    /** A layer that does not say how it looks in TorchScript. */
    private static final class Mute extends Layer {
        @Override
        protected Shape build(Shape input, BuildContext build) {
            return input;
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x;
        }
    }

    @Test
    void aLayerWithoutScriptIsNamed() {
        Path file = folder.resolve("model.pt");
        try (Model model = Model.of(Sequential.of(dense(2), new Mute().named("quiet")), Input.of(3))) {
            assertThatThrownBy(() -> TorchScriptFile.write(model, file))
                    .isInstanceOf(UnsupportedLayerException.class)
                    .hasMessageContaining("layer quiet (mute) cannot be exported to TorchScript")
                    .hasMessageContaining("override script(...)");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void aPlaceThatCannotBeWrittenIsNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "in the way");
        try (Model model = Exported.CNN.model()) {
            assertThatThrownBy(() -> TorchScriptFile.write(model, file.resolve("model.pt")))
                    .isInstanceOf(FileException.class)
                    .hasMessageContaining("model.pt: cannot be written");
            assertThatThrownBy(() -> TorchScriptFile.write(model, folder)).isInstanceOf(FileException.class);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskLeavesTheOldFile() throws IOException {
        try (TestingSmallDisk disk = TestingSmallDisk.at(folder);
                Model model = Model.of(dense(1000), Input.of(1000))) {
            Path file = Files.writeString(disk.folder().resolve("model.pt"), "old");
            assertThatThrownBy(() -> TorchScriptFile.write(model, file)).isInstanceOf(DiskFullException.class);
            assertThat(file).hasContent("old");
            assertThat(disk.folder()).isDirectoryNotContaining(Temporary::is);
        }
    }

    @Test
    void moduleFilesTravelWithTheDefinition() throws IOException {
        Layer definition = Sequential.of(
                Sequential.of(torchScript(CLASSIFIER).relu()), torchScript(TorchScriptCase.file("noise.pt")), dense(3));
        Layer other = Sequential.of(torchScript(CLASSIFIER), torchScript(CLASSIFIER));
        Layer gathered = ModuleFiles.gather(definition, folder);
        assertThat(Json.write(gathered))
                .contains("\"module1.pt\"", "\"module2.pt\"")
                .doesNotContain("classifier");
        assertThat(folder.resolve("module1.pt")).hasSameBinaryContentAs(CLASSIFIER);
        assertThat(Json.write(ModuleFiles.gather(other, folder)))
                .contains("module1.pt")
                .doesNotContain("module2.pt");

        Path moved = Files.move(
                folder.resolve("module1.pt"),
                Files.createDirectory(folder.resolve("moved")).resolve("module1.pt"));
        Layer resolved =
                ModuleFiles.resolve(Json.read(Json.write(gathered), Layer.class, "model.json"), moved.getParent());
        try (Model model = Model.of(((Sequential) resolved).layers().get(0), Input.of(1, 8, 8))) {
            assertThat(model.outputs()).containsExactly(Shape.of(5));
        }
        assertThatThrownBy(() -> ModuleFiles.gather(torchScript(Path.of("nothing.pt")), folder))
                .isInstanceOf(FileException.class)
                .hasMessageStartingWith("nothing.pt: the module of a TorchScript layer is not there");
    }
}
