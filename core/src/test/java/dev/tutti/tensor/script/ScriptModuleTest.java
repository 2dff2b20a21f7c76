package dev.tutti.tensor.script;

import static dev.tutti.golden.Close.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.golden.TorchScriptCase;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScriptModuleTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("dev.tutti.golden.TorchScriptCase#names")
    void computesWhatPythonComputes(String name) {
        TorchScriptCase golden = TorchScriptCase.of(name);
        try (ScriptModule module = ScriptModule.load(golden.file());
                Scope scope = Scope.open()) {
            assertThat(module.training()).isFalse();
            assertThat(module.parameters().keySet())
                    .containsExactlyElementsOf(golden.gradients().keySet());
            assertThat(module.buffers().keySet())
                    .containsExactlyElementsOf(golden.buffers().keySet());
            List<Tensor> outputs = module.forward(tensors(golden.inputs()));
            assertThat(outputs).hasSameSizeAs(golden.evaluated());
            for (int i = 0; i < outputs.size(); i++) {
                assertClose(outputs.get(i).toArray(), golden.evaluated().get(i), 1e-5, name);
            }
            module.training(true);
            List<Tensor> trained = module.forward(tensors(golden.inputs()));
            for (int i = 0; i < outputs.size(); i++) {
                assertClose(trained.get(i).toArray(), golden.trained().get(i), 1e-5, name + " in training");
            }
        }
    }

    @Test
    void replacesASharedTensorEverywhere() {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file("odd.pt"));
                Scope scope = Scope.open()) {
            module.put("first.weight", Tensor.of(new float[] {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}, 4, 4));
            Tensor x = Tensor.full(Shape.of(1, 4), 3, DType.FLOAT32);
            assertThat(module.forward(List.of(x)).get(0).toArray().floats()).containsOnly(3 * 2 * 2 + 2);
        }
    }

    @Test
    void readsHalfPrecisionAsFloats() {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file("half.pt"));
                Scope scope = Scope.open()) {
            assertThat(module.parameters().values()).extracting(Tensor::type).containsOnly(DType.FLOAT32);
            assertThat(module.get("body.1.num_batches_tracked").type()).isEqualTo(DType.INT64);
            Tensor x = Tensor.zeros(Shape.of(3, 1, 8, 8), DType.FLOAT32);
            assertThat(module.forward(List.of(x)).get(0).shape()).isEqualTo(Shape.of(3, 5));
        }
    }

    @Test
    void defineMakesSubmodulesOfDots() throws IOException {
        String source = "def forward(self, x):\n"
                + "    y = torch.linear(x, self.block.dense1.weight) + self.block.shift\n"
                + "    return torch.dropout(y, 0.5, self.training), self.odd.forward(y)\n";
        Path file = folder.resolve("made.pt");
        try (Scope scope = Scope.open();
                ScriptModule odd = ScriptModule.load(TorchScriptCase.file("odd.pt"))) {
            Tensor weight = Tensor.full(Shape.of(4, 2), 1, DType.FLOAT32).requiresGradient(true);
            Tensor shift = Tensor.full(Shape.of(4), 7, DType.FLOAT32);
            try (ScriptModule made = ScriptModule.define(
                            source,
                            Map.of("block.dense1.weight", weight),
                            Map.of("block.shift", shift),
                            Map.of("odd", odd));
                    OutputStream out = Files.newOutputStream(file)) {
                made.writeTo(out);
            }
        }
        try (ScriptModule module = ScriptModule.load(file);
                Scope scope = Scope.open()) {
            assertThat(module.parameters().keySet())
                    .containsExactlyInAnyOrder("block.dense1.weight", "odd.first.weight");
            assertThat(module.buffers().keySet()).containsExactlyInAnyOrder("block.shift", "odd.mean", "odd.large");
            Tensor x = Tensor.full(Shape.of(500, 2), 1, DType.FLOAT32);
            assertThat(module.forward(List.of(x)).get(0).toArray().floats()).containsOnly(9);
            module.training(true);
            assertThat(module.forward(List.of(x)).get(0).toArray().floats())
                    .contains(0, 18)
                    .doesNotContain(9);
            module.forward(List.of(x)).get(0).sum().backward();
            assertThat(module.get("block.dense1.weight").gradient()).isPresent();
        }
    }

    @Test
    void sourceThatDoesNotCompileIsShown() {
        assertThatThrownBy(() -> ScriptModule.define(
                        "def forward(self, x):\n    return torch.nonsense(x)\n", Map.of(), Map.of(), Map.of()))
                .isInstanceOf(ScriptException.class)
                .hasMessageStartingWith("the source cannot be compiled: ")
                .hasMessageContaining("Unknown builtin op: aten::nonsense");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"dict.pt | returned a Dict", "number.pt | returned a Int"})
    void resultsThatAreNoTensorsAreRefused(String file, String message) {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file(file));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(Shape.of(2, 3), DType.FLOAT32);
            assertThatThrownBy(() -> module.forward(List.of(x)))
                    .isInstanceOf(ScriptException.class)
                    .hasMessageContaining(message)
                    .hasMessageContaining("expected a tensor, or a tuple or list of tensors");
        }
    }

    @Test
    void errorsInsideTheModuleGiveTheReasonAlone() {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file("classifier.pt"));
                Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(Shape.of(4, 3), DType.FLOAT32);
            assertThatThrownBy(() -> module.forward(List.of(x)))
                    .isInstanceOf(ScriptException.class)
                    .hasMessageEndingWith(
                            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [4, 3]")
                    .hasMessageNotContaining("Traceback");
            assertThatThrownBy(() -> module.forward(List.of()))
                    .isInstanceOf(ScriptException.class)
                    .hasMessageContaining("missing value for argument 'x'");
            assertThatThrownBy(() -> module.get("body.weight"))
                    .isInstanceOf(ScriptException.class)
                    .hasMessageContaining("has no tensor 'body.weight'");
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        ScriptModule module;
        try (Scope scope = Scope.open()) {
            module = ScriptModule.load(TorchScriptCase.file("classifier.pt"));
        }
        try (Scope scope = Scope.open()) {
            Tensor x = Tensor.zeros(Shape.of(1, 1, 8, 8), DType.FLOAT32);
            assertThat(module.forward(List.of(x))).hasSize(1);
            module.close();
            module.close();
            for (Runnable use : List.<Runnable>of(
                    () -> module.forward(List.of(x)),
                    module::parameters,
                    module::buffers,
                    () -> module.get("head.weight"),
                    () -> module.put("head.weight", x),
                    () -> module.training(true))) {
                assertThatThrownBy(use::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("used after it was closed");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "state_dict.pt | values pickled by torch.save, without the code",
                "legacy_state_dict.pt | values pickled by torch.save, without the code",
                "expected.json | is not a TorchScript file"
            })
    void otherFilesAreRefused(String file, String message) {
        assertThatThrownBy(() -> ScriptModule.load(TorchScriptCase.file(file)))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining(file)
                .hasMessageContaining(message);
    }

    @Test
    void filesThatAreMissingOrDamagedAreRefused() throws IOException {
        assertThatThrownBy(() -> ScriptModule.load(folder.resolve("nothing.pt")))
                .isInstanceOf(ScriptException.class)
                .hasMessageEndingWith("nothing.pt: there is no such file");
        assertThatThrownBy(() -> ScriptModule.load(folder)).hasMessageContaining("found a folder");
        byte[] whole = Files.readAllBytes(TorchScriptCase.file("classifier.pt"));
        Path cut = Files.write(folder.resolve("cut.pt"), Arrays.copyOf(whole, whole.length / 2));
        assertThatThrownBy(() -> ScriptModule.load(cut))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("damaged or was cut short");
        whole[100] ^= 1;
        Path changed = Files.write(folder.resolve("changed.pt"), whole);
        assertThatThrownBy(() -> ScriptModule.load(changed))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining("wrong checksum");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsAnException() throws IOException {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file("classifier.pt"));
                OutputStream full = new FileOutputStream("/dev/full")) {
            assertThatThrownBy(() -> module.writeTo(full))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space");
        }
    }

    @Test
    void memoryStaysFlat() {
        try (ScriptModule module = ScriptModule.load(TorchScriptCase.file("classifier.pt"))) {
            module.training(true);
            long before = 0;
            for (int i = 0; i < 1200; i++) {
                if (i == 200) {
                    before = Pointer.physicalBytes();
                }
                try (Scope scope = Scope.open()) {
                    Tensor x = Tensor.zeros(Shape.of(128, 1, 8, 8), DType.FLOAT32);
                    module.forward(List.of(x)).get(0).sum().backward();
                }
            }
            assertThat(Pointer.physicalBytes() - before).isLessThan(20L << 20);
        }
    }

    private static List<Tensor> tensors(List<NdArray> arrays) {
        return arrays.stream().map(Tensor::of).toList();
    }
}
