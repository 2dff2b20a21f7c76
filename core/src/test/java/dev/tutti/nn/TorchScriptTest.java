package dev.tutti.nn;

import static dev.tutti.golden.Close.assertClose;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.torchScript;
import static dev.tutti.optim.Optimizers.adam;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.golden.TorchScriptCase;
import dev.tutti.json.Json;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptException;
import dev.tutti.tensor.vector.ParameterLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TorchScriptTest {
    private static final Path CLASSIFIER = TorchScriptCase.file("classifier.pt");

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.tutti.golden.TorchScriptCase#names")
    void trainsAsInPython(String name) {
        TorchScriptCase golden = TorchScriptCase.of(name);
        try (Model model = model(golden, Model.Options.DEFAULT)) {
            comparePasses(golden, model, 1e-5);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.tutti.golden.TorchScriptCase#names")
    void trainsInDoublePrecision(String name) {
        TorchScriptCase golden = TorchScriptCase.of(name);
        try (Model model = model(golden, Model.Options.DEFAULT.type(DType.FLOAT64))) {
            comparePasses(golden, model, 1e-5);
        }
    }

    @Test
    void channelsLastComputesTheSame() {
        TorchScriptCase golden = TorchScriptCase.of("classifier");
        try (Model model = Model.of(torchScript(CLASSIFIER).channelsLast(), Input.of(1, 8, 8))) {
            comparePasses(golden, model, 1e-5);
        }
    }

    /** Runs the model in both modes and compares outputs, the gradients in the flat vector, and the buffers afterwards. */
    private static void comparePasses(TorchScriptCase golden, Model model, double tolerance) {
        try (Scope scope = Scope.open()) {
            compare(model.forward(tensors(golden.inputs())), golden.evaluated(), tolerance, "evaluated");
            model.training(true);
            List<Tensor> outputs = model.forward(tensors(golden.inputs()));
            compare(outputs, golden.trained(), tolerance, "trained");
            outputs.stream()
                    .map(y -> y.square().sum())
                    .reduce(Tensor::add)
                    .orElseThrow()
                    .backward();
            for (Parameter p : model.parameters()) {
                NdArray gradient =
                        shaped(model.vector().gradients(p.range()), p).toArray();
                assertClose(gradient, golden.gradients().get(p.name()), 10 * tolerance, "gradient of " + p.name());
            }
            golden.buffers().forEach((name, expected) -> {
                if (!name.equals("large")) { // stays in the module: its numbers are beyond what a float holds
                    assertClose(model.arrays().get(name), expected, tolerance, name);
                }
            });
            assertThat(model.arrays()).doesNotContainKey("large");
        }
    }

    private static Tensor shaped(Tensor range, Parameter p) {
        return p.layout() == ParameterLayout.PLAIN
                ? range.view(p.shape().toArray())
                : range.view(
                                p.shape().dim(0),
                                p.shape().dim(2),
                                p.shape().dim(3),
                                p.shape().dim(1))
                        .permute(0, 3, 1, 2);
    }

    @Test
    void fineTunesAnImportedBodyUnderANewHead() {
        Layer definition = Sequential.of(torchScript(CLASSIFIER).named("body").relu(), dense(3).named("head"));
        try (Model model = Model.of(definition, Input.of(1, 8, 8));
                Update update = adam(0.01)
                        .bind(new Target(model.vector(), model.vector().all(), List.of(), model::trainable))) {
            assertThat(model.outputs()).containsExactly(Shape.of(3));
            model.freeze("body.body.0");
            Map<String, NdArray> before = model.arrays();
            model.training(true);
            double first = step(model, update);
            double last = first;
            for (int i = 0; i < 60; i++) {
                last = step(model, update);
            }
            assertThat(last).isLessThan(first / 2);
            Map<String, NdArray> after = model.arrays();
            assertThat(after.get("body.body.0.weight")).isEqualTo(before.get("body.body.0.weight"));
            assertThat(after.get("body.body.0.bias")).isEqualTo(before.get("body.body.0.bias"));
            for (String moved :
                    List.of("body.body.1.weight", "body.body.1.running_mean", "body.head.weight", "head.weight")) {
                assertThat(after.get(moved)).as(moved).isNotEqualTo(before.get(moved));
            }
            assertThat(after.get("body.body.1.num_batches_tracked").at(0)).isEqualTo(61);
        }
    }

    private static double step(Model model, Update update) {
        try (Scope scope = Scope.open()) {
            NdArray images = TorchScriptCase.of("classifier").inputs().get(0);
            model.vector().zeroGradients();
            Tensor loss = softmaxCrossEntropy()
                    .compute(model.forward(Tensor.of(images)), Tensor.of(new long[] {0, 1, 2, 2, 1, 0}, 6));
            loss.backward();
            update.apply(0.01);
            return loss.item();
        }
    }

    @Test
    void replicasShareParametersAndNothingElse() {
        try (Model model = Model.of(torchScript(CLASSIFIER), Input.of(1, 8, 8));
                Model replica = model.replica();
                Scope scope = Scope.open()) {
            Tensor x = Tensor.of(TorchScriptCase.of("classifier").inputs().get(0));
            NdArray expected = model.forward(x).toArray();
            assertThat(replica.forward(x).toArray()).isEqualTo(expected);

            replica.training(true);
            replica.forward(x).sum().backward();
            assertThat(model.vector().gradients().norm().item()).isZero();
            assertThat(replica.vector().gradients().norm().item()).isPositive();
            assertThat(model.arrays().get("body.1.running_mean"))
                    .isNotEqualTo(replica.arrays().get("body.1.running_mean"));
            assertThat(model.forward(x).toArray()).isEqualTo(expected);

            model.vector().values().zero_();
            assertThat(replica.forward(x).toArray().floats()).containsOnly(0);
        }
    }

    @Test
    void replicasTrainSideBySide() {
        try (Model model = Model.of(torchScript(CLASSIFIER), Input.of(1, 8, 8));
                Model left = model.replica();
                Model right = model.replica()) {
            NdArray expected = gradientsAfter(20, model);
            CompletableFuture<NdArray> leftOnes = CompletableFuture.supplyAsync(() -> gradientsAfter(20, left));
            CompletableFuture<NdArray> rightOnes = CompletableFuture.supplyAsync(() -> gradientsAfter(20, right));
            assertThat(leftOnes.join()).isEqualTo(expected);
            assertThat(rightOnes.join()).isEqualTo(expected);
        }
    }

    private static NdArray gradientsAfter(int steps, Model model) {
        Engine.useThreads(1);
        model.training(true);
        NdArray images = TorchScriptCase.of("classifier").inputs().get(0);
        for (int i = 0; i < steps; i++) {
            try (Scope scope = Scope.open()) {
                model.forward(Tensor.of(images)).square().sum().backward();
            }
        }
        return model.vector().gradients().toArray();
    }

    @Test
    void valuesOfOneModelCanBeLoadedIntoAnother() {
        try (Model trained = Model.of(torchScript(CLASSIFIER), Input.of(1, 8, 8));
                Model other = Model.of(torchScript(CLASSIFIER), Input.of(1, 8, 8));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.of(TorchScriptCase.of("classifier").inputs().get(0));
            trained.training(true);
            trained.forward(x);
            trained.training(false);
            trained.vector().values().add_(0.01);
            other.load(trained.arrays(), "the trained model");
            assertThat(other.forward(x).toArray()).isEqualTo(trained.forward(x).toArray());
        }
    }

    @Test
    void randomNumbersFollowFromTheStep() {
        try (Model model = Model.of(torchScript(TorchScriptCase.file("noise.pt")), Input.of(64));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.full(Shape.of(4, 64), 1, DType.FLOAT32);
            model.training(true);
            List<NdArray> drawn = new ArrayList<>();
            for (long step : new long[] {5, 6, 5}) {
                model.restartRandomness(1, step);
                drawn.add(model.forward(x).toArray());
            }
            assertThat(drawn.get(0)).isEqualTo(drawn.get(2)).isNotEqualTo(drawn.get(1));
        }
    }

    @Test
    void lengthsThatAreNotKnownStayUnknown() {
        try (Model model = Model.of(torchScript(TorchScriptCase.file("tagger.pt")), Input.ids(Shape.ANY));
                Scope scope = Scope.open()) {
            assertThat(model.outputs()).containsExactly(Shape.of(Shape.ANY, 3));
            assertThat(model.forward(Tensor.zeros(Shape.of(2, 17), DType.INT64)).shape())
                    .isEqualTo(Shape.of(2, 17, 3));
        }
    }

    @Test
    void isWrittenAsJson() {
        TorchScript layer = torchScript(Path.of("resnet.pt")).channelsLast();
        String json = Json.write(layer);
        assertThat(json).contains("\"type\" : \"torchScript\"", "\"file\" : \"resnet.pt\"", "\"channelsLast\" : true");
        assertThat(Json.write(Json.read(json, Layer.class, "test"))).isEqualTo(json);
        assertThat(layer.withFile(CLASSIFIER).file()).isEqualTo(CLASSIFIER);
    }

    @Test
    void mistakesAreExplained() {
        assertThatThrownBy(() -> Model.of(torchScript(folder.resolve("nothing.pt")), Input.of(3)))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("nothing.pt: there is no such file");
        assertThatThrownBy(() -> Model.of(Sequential.of(torchScript(CLASSIFIER)), Input.of(1, 9, 12)))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("layer torchScript1 cannot run on [[1, 9, 12]] from the input")
                .hasMessageContaining("mat1 and mat2 shapes cannot be multiplied");
        assertThatThrownBy(() -> Model.of(torchScript(TorchScriptCase.file("flattening.pt")), Input.of(3)))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("must give an output for each sample: for a batch of 2 it gave [6]");
        assertThatThrownBy(() -> Model.of(torchScript(TorchScriptCase.file("dict.pt")), Input.of(3)))
                .hasMessageContaining("returned a Dict");
        TorchScript pair = torchScript(TorchScriptCase.file("pair.pt"));
        assertThatThrownBy(() -> Model.of(Sequential.of(pair, dense(1)), Input.of(3), Input.ids()))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("has 2");
        assertThatThrownBy(() -> Model.of(pair, Input.of(3), Input.of()))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("Expected tensor for argument #1 'indices'");
    }

    @Test
    void aFileThatChangedMeanwhileIsNoticed() throws IOException {
        Path file = Files.copy(CLASSIFIER, folder.resolve("module.pt"));
        try (Model model = Model.of(torchScript(file), Input.of(1, 8, 8));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(Shape.of(2, 1, 8, 8), DType.FLOAT32);
            Files.delete(file);
            Files.copy(TorchScriptCase.file("tagger.pt"), file);
            assertThat(model.forward(x).shape()).isEqualTo(Shape.of(2, 5));
            try (Model replica = model.replica()) {
                assertThatThrownBy(() -> replica.forward(x))
                        .isInstanceOf(ScriptException.class)
                        .hasMessageContaining("the TorchScript file has changed since the model was built");
            }
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        Model model = Model.of(torchScript(CLASSIFIER), Input.of(1, 8, 8));
        model.close();
        try (Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(Shape.of(2, 1, 8, 8), DType.FLOAT32);
            assertThatThrownBy(() -> model.forward(x))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("used after it was closed");
        }
    }

    private static Model model(TorchScriptCase golden, Model.Options options) {
        List<Input> inputs = golden.inputs().stream()
                .map(array -> new Input(array.shape().from(1), array.type()))
                .toList();
        return Model.of(torchScript(golden.file()), options, inputs);
    }

    private static void compare(List<Tensor> actual, List<NdArray> expected, double tolerance, String what) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertClose(actual.get(i).toArray(), expected.get(i), tolerance, what + " " + i);
        }
    }

    private static List<Tensor> tensors(List<NdArray> arrays) {
        return arrays.stream().map(Tensor::of).toList();
    }
}
