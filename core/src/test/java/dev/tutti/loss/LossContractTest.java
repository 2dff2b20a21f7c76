package dev.tutti.loss;

import static dev.tutti.loss.Losses.binaryCrossEntropy;
import static dev.tutti.loss.Losses.huber;
import static dev.tutti.loss.Losses.mae;
import static dev.tutti.loss.Losses.mse;
import static dev.tutti.loss.Losses.perOutput;
import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every loss has to keep; a new one is listed here, with golden values made by src/test/golden/optim.py. */
class LossContractTest {
    private static final JsonNode GOLDEN = golden();

    private static final Map<String, Loss> LOSSES = Map.of(
            "softmaxCrossEntropy", softmaxCrossEntropy(),
            "softmaxCrossEntropy smoothed", softmaxCrossEntropy().labelSmoothing(0.2),
            "softmaxCrossEntropy weighted",
                    softmaxCrossEntropy().classWeights(0.5, 2, 1.5).labelSmoothing(0.1),
            "softmaxCrossEntropy shares", softmaxCrossEntropy().labelSmoothing(0.1),
            "softmaxCrossEntropy sequence", softmaxCrossEntropy().ignoring(-100),
            "binaryCrossEntropy", binaryCrossEntropy(),
            "binaryCrossEntropy weighted", binaryCrossEntropy().positiveWeight(3),
            "mse", mse(),
            "mae", mae(),
            "huber", huber(0.7));

    /** A loss with outputs and targets that suit it. */
    record Case(String name, Loss loss, NdArray output, NdArray target, double value, double[] gradient) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Iterable<String> names = GOLDEN::fieldNames;
        return StreamSupport.stream(names.spliterator(), false).map(LossContractTest::read);
    }

    private static Case read(String name) {
        JsonNode at = GOLDEN.get(name);
        boolean ids = at.get("target").get(0).isIntegralNumber();
        NdArray target = NdArray.of(numbers(at.get("target")), dims(at.get("targetShape")));
        return new Case(
                name,
                LOSSES.get(name),
                NdArray.of(numbers(at.get("output")), dims(at.get("outputShape"))),
                ids ? target.to(DType.INT64) : target,
                at.get("value").doubleValue(),
                numbers(at.get("gradient")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void equalsPyTorch(Case c) {
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(c.output).requiresGradient(true);
            Tensor loss = c.loss.compute(List.of(output), List.of(Tensor.of(c.target)));
            loss.backward();
            assertThat(loss.shape()).isEqualTo(Shape.scalar());
            assertThat(loss.item()).isCloseTo(c.value, within(1e-12));
            assertThat(output.gradient().orElseThrow().toArray().doubles()).containsExactly(c.gradient, within(1e-12));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void itsGradientIsItsSlope(Case c) {
        double h = 1e-6;
        double[] slopes = new double[c.output.size()];
        for (int i = 0; i < slopes.length; i++) {
            slopes[i] = (lossAt(c, i, h) - lossAt(c, i, -h)) / (2 * h);
        }
        assertThat(c.gradient).containsExactly(slopes, within(1e-7));
    }

    private static double lossAt(Case c, int index, double shift) {
        double[] moved = c.output.doubles().clone();
        moved[index] += shift;
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(NdArray.of(moved, c.output.shape().toArray()));
            return c.loss.compute(output, Tensor.of(c.target)).item();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void takesTargetsOfAnyTypeAndOutputsInSinglePrecision(Case c) {
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(c.output.to(DType.FLOAT32));
            assertThat(c.loss.compute(output, Tensor.of(c.target.to(DType.FLOAT32)))
                            .item())
                    .isCloseTo(c.value, within(1e-5));
            assertThat(c.loss.compute(output, Tensor.of(c.target)).type()).isEqualTo(DType.FLOAT32);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isTheSameAsOneOfSeveralOutputs(Case c) {
        try (Scope scope = Scope.open()) {
            Loss both = perOutput(c.loss, mse()).weights(2, 0.5);
            Tensor other = Tensor.of(new double[] {1, 2}, 2);
            Tensor zero = Tensor.of(new double[] {0, 0}, 2);
            double value = both.compute(List.of(Tensor.of(c.output), other), List.of(Tensor.of(c.target), zero))
                    .item();
            assertThat(value).isCloseTo(2 * c.value + 0.5 * 2.5, within(1e-12));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void acceptsItsTargets(Case c) {
        c.loss.check(List.of(c.target), List.of(c.output.shape().from(1)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isWrittenAndReadBack(Case c) {
        for (Loss loss : List.of(c.loss, perOutput(c.loss, mae()).weights(1, 3))) {
            String json = Json.write(loss);
            Loss read = Json.read(json, Loss.class, "test");
            read.validate();
            assertThat(read).hasSameClassAs(loss);
            assertThat(Json.write(read)).isEqualTo(json);
            assertThat(Json.write(Json.readYaml(Json.writeYaml(loss), Loss.class, "test")))
                    .isEqualTo(json);
        }
        assertThat(Json.readYaml(c.loss.kind(), Loss.class, "test")).hasSameClassAs(c.loss);
    }

    private static JsonNode golden() {
        try (InputStream in = LossContractTest.class.getResourceAsStream("/golden/loss.json")) {
            return Json.json().readTree(in).get("losses");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double[] numbers(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .mapToDouble(JsonNode::doubleValue)
                .toArray();
    }

    private static long[] dims(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .mapToLong(JsonNode::longValue)
                .toArray();
    }
}
