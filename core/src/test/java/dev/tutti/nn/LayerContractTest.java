package dev.tutti.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.tensor.EngineProbe;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.script.ScriptModule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every layer promises. A new one is added to {@link LayerCases}. */
class LayerContractTest {
    static List<LayerCase> cases() {
        return LayerCases.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void givesTheShapeItPromises(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT32)) {
            for (int length : layer.isOpen() ? new int[] {5, 8} : new int[] {5}) {
                for (int batch : new int[] {1, 3}) {
                    List<NdArray> outputs = predict(model, layer.batch(batch, length, DType.FLOAT32));
                    assertThat(outputs).hasSameSizeAs(model.outputs());
                    for (int i = 0; i < outputs.size(); i++) {
                        Shape promised = model.outputs().get(i).prepend(batch);
                        assertThat(promised.matches(outputs.get(i).shape()))
                                .as(
                                        "promised %s, gave %s",
                                        promised, outputs.get(i).shape())
                                .isTrue();
                    }
                }
            }
        }
    }

    /** Central differences against the backward pass, while training, for all parameters and inputs. */
    @ParameterizedTest
    @MethodSource("cases")
    void hasTheGradientThatDifferencesShow(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT64);
                Scope scope = Scope.open()) {
            model.training(true);
            List<Tensor> inputs = tensors(layer.batch(3, 5, DType.FLOAT64));
            Map<String, Tensor> values = new LinkedHashMap<>();
            Map<String, Tensor> gradients = new LinkedHashMap<>();
            inputs.stream().filter(x -> x.type().isFloating()).forEach(x -> x.requiresGradient(true));
            weightedSum(model, inputs).backward();
            for (Parameter p : model.parameters()) {
                values.put(p.name(), model.vector().values(p.range()));
                gradients.put(p.name(), model.vector().gradients(p.range()));
            }
            for (int i = 0; i < inputs.size(); i++) {
                if (inputs.get(i).type().isFloating()) {
                    values.put("input " + i, inputs.get(i).detach().view(-1));
                    gradients.put(
                            "input " + i, inputs.get(i).gradient().orElseThrow().reshape(-1));
                }
            }
            values.forEach((name, value) -> compare(name, value, gradients.get(name), model, inputs));
        }
    }

    /** The pass that training records, with another one open meanwhile, against the one as written that the engine takes back. */
    @ParameterizedTest
    @MethodSource("cases")
    void recordedPassesGiveTheSameGradients(LayerCase layer) {
        for (DType type : List.of(DType.FLOAT32, DType.FLOAT64)) {
            try (Model model = layer.model(type);
                    Model plain = Model.of(layer.definition(), model.options().asWritten(), model.inputs());
                    Scope scope = Scope.open()) {
                model.training(true);
                plain.training(true);
                List<Tensor> inputs = tensors(layer.batch(3, 5, type));
                model.restartRandomness(5);
                RecordedPass pass = model.recordWithInputGradients(inputs);
                model.restartRandomness(6);
                RecordedPass other = model.record(tensors(layer.batch(2, 5, type)));
                inputs.stream().filter(x -> x.type().isFloating()).forEach(x -> x.requiresGradient(true));
                Tensor expected = weightedSum(plain, inputs);
                Tensor loss = weightedSum(pass.outputs());
                assertThat(loss.item()).isCloseTo(expected.item(), within(1e-4));
                expected.backward();
                pass.backward(loss, false);
                other.close();
                assertClose(
                        "parameters", model.vector().gradients(), plain.vector().gradients());
                for (int i = 0; i < inputs.size(); i++) {
                    Optional<Tensor> gradient = inputs.get(i).gradient();
                    if (gradient.isPresent()) {
                        assertClose("input " + i, pass.inputGradient(i).orElseThrow(), gradient.get());
                    }
                }
            }
        }
    }

    private static void assertClose(String name, Tensor actual, Tensor expected) {
        NdArray expectedValues = expected.toArray();
        NdArray actualValues = actual.toArray();
        assertThat(actualValues.shape()).isEqualTo(expectedValues.shape());
        double scale = 1;
        for (int i = 0; i < expectedValues.size(); i++) {
            scale = Math.max(scale, Math.abs(expectedValues.at(i)));
        }
        double tolerance = (expected.type() == DType.FLOAT64 ? 1e-11 : 1e-5) * scale;
        for (int i = 0; i < expectedValues.size(); i++) {
            assertThat(actualValues.at(i)).as("%s[%d]", name, i).isCloseTo(expectedValues.at(i), within(tolerance));
        }
    }

    private static void compare(String name, Tensor value, Tensor gradient, Model model, List<Tensor> inputs) {
        double[] expected = gradient.toArray().doubles();
        double[] held = value.toArray().doubles();
        int stride = Math.max(1, held.length / 40);
        for (int i = 0; i < held.length; i += stride) {
            double h = 1e-5;
            double up = lossAt(value, i, held[i] + h, model, inputs);
            double down = lossAt(value, i, held[i] - h, model, inputs);
            lossAt(value, i, held[i], model, inputs);
            assertThat((up - down) / (2 * h)).as("%s[%d]", name, i).isCloseTo(expected[i], within(1e-6));
        }
    }

    private static double lossAt(Tensor value, int index, double to, Model model, List<Tensor> inputs) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            value.narrow(0, index, 1).fill_(to);
            return weightedSum(model, inputs).item();
        }
    }

    /** One number that depends on every output; the same random numbers each time. */
    private static Tensor weightedSum(Model model, List<Tensor> inputs) {
        model.restartRandomness(5);
        return weightedSum(model.forward(inputs));
    }

    private static Tensor weightedSum(List<Tensor> outputs) {
        Tensor sum = null;
        for (Tensor output : outputs) {
            Tensor weights = Tensor.of(random(output.shape(), 23).to(output.type()));
            Tensor part = output.mul(weights).sum();
            sum = sum == null ? part : sum.add(part);
        }
        return sum;
    }

    /** A layer that is built apart from what follows it begins with the same values and draws the same random numbers. */
    @ParameterizedTest
    @MethodSource("cases")
    void isTheSameInAPartOfAModel(LayerCase layer) {
        try (Model alone = layer.model(DType.FLOAT64)) {
            if (alone.outputs().size() > 1) {
                return;
            }
            // The layers of a chain stay in one: those of the tied one name each other, and may be on two sides of the
            // cut.
            List<Layer> chain = new ArrayList<>(
                    layer.definition() instanceof Sequential all ? all.layers() : List.of(layer.definition()));
            int own = chain.size();
            chain.add(new Dropout(0.5));
            chain.add(new Dropout(0.5));
            ModelPlan plan = ModelPlan.of(Sequential.of(chain.toArray(Layer[]::new)), alone.options(), alone.inputs());
            for (int cut = layer.name().equals("tied dense") ? 1 : own; cut <= own; cut++) {
                requireSameInParts(layer, plan, cut);
            }
        }
    }

    private static void requireSameInParts(LayerCase layer, ModelPlan plan, int cut) {
        try (Model whole = plan.build();
                Model first = plan.part(Range.between(0, cut)).build();
                Model last = plan.part(Range.between(cut, plan.layers().size())).build();
                Scope scope = Scope.open()) {
            Map<String, NdArray> held = new LinkedHashMap<>(first.arrays());
            held.putAll(last.arrays());
            assertThat(held).isEqualTo(whole.arrays());
            held.forEach((name, values) -> assertThat(
                            plan.firstValues(Slice.all(name, values.shape())).toArray())
                    .as(name)
                    .isEqualTo(values));
            for (Model model : List.of(whole, first, last)) {
                model.training(true);
                model.restartRandomness(9, 4);
            }
            List<Tensor> inputs = tensors(layer.batch(3, 5, DType.FLOAT64));
            NdArray expected = whole.forward(inputs).get(0).toArray();
            assertThat(last.forward(first.forward(inputs)).get(0).toArray()).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void survivesJsonAndYaml(LayerCase layer) {
        String json = Json.write(layer.definition());
        String yaml = Json.writeYaml(layer.definition());
        try (Model model = layer.model(DType.FLOAT32)) {
            List<NdArray> batch = layer.batch(2, 5, DType.FLOAT32);
            List<NdArray> outputs = predict(model, batch);
            for (Layer again :
                    List.of(Json.read(json, Layer.class, "json"), Json.readYaml(yaml, Layer.class, "yaml"))) {
                assertThat(Json.write(again)).isEqualTo(json);
                try (Model twin = Model.of(again, model.options(), model.inputs())) {
                    assertThat(twin.summary()).isEqualTo(model.summary());
                    assertThat(names(twin)).isEqualTo(names(model));
                    assertThat(predict(twin, batch)).isEqualTo(outputs);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void learns(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT64);
                Scope scope = Scope.open()) {
            model.training(true);
            List<Tensor> inputs = tensors(layer.batch(4, 5, DType.FLOAT64));
            Map<String, NdArray> before = model.arrays();
            Tensor loss = distance(model, inputs);
            if (model.parameters().isEmpty()) {
                assertThat(model.vector().size()).isZero();
                return;
            }
            loss.backward();
            try (NoGradients off = NoGradients.begin()) {
                model.vector().values().add_(model.vector().gradients(), -1e-3);
            }
            assertThat(distance(model, inputs).item()).isLessThan(loss.item());
            Map<String, NdArray> after = model.arrays();
            for (Parameter p : model.parameters()) {
                if (!p.name()
                        .endsWith(LowRankAdapter.A)) { // the other half of an adapter begins at zero, and learns first
                    assertThat(after.get(p.name())).as(p.name()).isNotEqualTo(before.get(p.name()));
                }
            }
        }
    }

    private static Tensor distance(Model model, List<Tensor> inputs) {
        model.restartRandomness(5);
        Tensor sum = null;
        for (Tensor output : model.forward(inputs)) {
            Tensor part =
                    output.sub(Tensor.of(random(output.shape(), 29))).square().mean();
            sum = sum == null ? part : sum.add(part);
        }
        return sum;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isSavedAndLoadedByName(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT32);
                Model other = Model.of(layer.definition(), model.options().seed(99), model.inputs());
                Scope scope = Scope.open()) {
            model.training(true);
            List<NdArray> batch = layer.batch(3, 5, DType.FLOAT32);
            model.forward(tensors(batch)); // moves running statistics
            other.load(model.arrays(), "memory");
            assertThat(other.arrays()).isEqualTo(model.arrays());
            assertThat(predict(other, batch)).isEqualTo(predict(model, batch));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void computesTheSameInTorchScript(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT32);
                Scope scope = Scope.open()) {
            List<NdArray> batch = layer.batch(2, 5, DType.FLOAT32);
            List<NdArray> expected = predict(model, batch);
            ScriptWriter script = model.script();
            Map<String, NdArray> arrays = model.arrays();
            List<NdArray> actual;
            try (ScriptModule module = ScriptModule.define(
                            script.source(),
                            attributes(script.parameters(), arrays),
                            attributes(script.buffers(), arrays),
                            Map.of());
                    NoGradients off = NoGradients.begin()) {
                module.training(false);
                actual = module.forward(tensors(batch)).stream()
                        .map(Tensor::toArray)
                        .toList();
            }
            assertThat(actual).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(actual.get(i).shape()).isEqualTo(expected.get(i).shape());
                assertThat(actual.get(i).floats())
                        .containsExactly(expected.get(i).floats(), within(1e-6f));
            }
        }
    }

    private static Map<String, Tensor> attributes(Map<String, String> names, Map<String, NdArray> arrays) {
        Map<String, Tensor> attributes = new LinkedHashMap<>();
        names.forEach((name, attribute) -> attributes.put(attribute, Tensor.of(arrays.get(name))));
        return attributes;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void replicasShareParametersAndHaveTheirOwnGradients(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT64);
                Model replica = model.replica();
                Scope scope = Scope.open()) {
            List<Tensor> inputs = tensors(layer.batch(3, 5, DType.FLOAT64));
            if (model.parameters().isEmpty()) {
                return;
            }
            weightedSum(replica, inputs).backward();
            assertThat(model.vector().gradients().norm().item()).isZero();
            assertThat(replica.vector().gradients().norm().item()).isPositive();
            try (NoGradients off = NoGradients.begin()) {
                model.vector().values().mul_(0.5);
            }
            assertThat(replica.arrays()).isEqualTo(model.arrays());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void leavesNothingBehind(LayerCase layer) {
        try (Model model = layer.model(DType.FLOAT32)) {
            model.training(true);
            List<NdArray> batch = layer.batch(3, 5, DType.FLOAT32);
            passes(model, batch, 3);
            long before = EngineProbe.liveObjects();
            passes(model, batch, 200);
            assertThat(EngineProbe.liveObjects()).isLessThanOrEqualTo(before);
        }
    }

    private static void passes(Model model, List<NdArray> batch, int count) {
        for (int i = 0; i < count; i++) {
            try (Scope scope = Scope.open()) {
                Tensor sum = weightedSum(model, tensors(batch));
                if (!model.parameters().isEmpty()) {
                    sum.backward();
                }
            }
        }
    }

    private static List<NdArray> predict(Model model, List<NdArray> batch) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.training(false);
            return model.forward(tensors(batch)).stream().map(Tensor::toArray).toList();
        }
    }

    private static List<Tensor> tensors(List<NdArray> arrays) {
        List<Tensor> tensors = new ArrayList<>();
        arrays.forEach(array -> tensors.add(Tensor.of(array)));
        return tensors;
    }

    private static NdArray random(Shape shape, long seed) {
        return NdArray.of(new Random(seed).doubles(shape.size(), -1, 1).toArray(), shape.toArray());
    }

    private static List<String> names(Model model) {
        return model.parameters().stream()
                .map(p -> p.name() + p.shape() + p.range())
                .toList();
    }
}
