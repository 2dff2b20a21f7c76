package dev.tutti.optim;

import static dev.tutti.optim.Optimizers.adagrad;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.adamW;
import static dev.tutti.optim.Optimizers.rmsprop;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.array.DType;
import dev.tutti.json.Json;
import dev.tutti.optim.schedule.Progress;
import dev.tutti.tensor.vector.FlatVector;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The optimizers give what PyTorch's give; src/test/golden/optim.py made the values. */
public class OptimizerGoldenTest {
    private static final int SIZE = 37;
    private static final int STEPS = 20;

    private static final Map<String, Optimizer> CASES = Map.ofEntries(
            Map.entry("sgd", sgd(0.05)),
            Map.entry("sgd momentum", sgd(0.05).momentum(0.9).weightDecay(0.1)),
            Map.entry("sgd nesterov", sgd(0.05).momentum(0.9).nesterov().weightDecay(0.1)),
            Map.entry("adam", adam(0.05)),
            Map.entry("adam decay", adam(0.05).betas(0.8, 0.95).epsilon(1e-6).weightDecay(0.1)),
            Map.entry("adamW", adamW(0.05).weightDecay(0.1)),
            Map.entry("adagrad", adagrad(0.05).weightDecay(0.1)),
            Map.entry("rmsprop", rmsprop(0.05)),
            Map.entry(
                    "rmsprop centred",
                    rmsprop(0.05).alpha(0.9).momentum(0.9).centred().weightDecay(0.1)),
            Map.entry("adam clipNorm", adam(0.05).clipNorm(2)),
            Map.entry("sgd clipValue", sgd(0.05).clipValue(0.5)),
            Map.entry("adam noDecay", adam(0.05).weightDecay(0.1).noDecay("bias")),
            Map.entry("adamW noDecay", adamW(0.05).weightDecay(0.1).noDecay("bias")),
            Map.entry("sgd noDecay", sgd(0.05).momentum(0.9).weightDecay(0.1).noDecay("dense1.bias")));

    static Iterable<String> names() {
        return () -> golden("optimizers").fieldNames();
    }

    @ParameterizedTest
    @MethodSource("names")
    void equalsPyTorch(String name) {
        Optimizer optimizer = CASES.get(name);
        assertThat(optimizer).as("case for %s", name).isNotNull();
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT64);
                Update update = optimizer.bind(Target.all(vector, GradientSeries.names(SIZE, 10)))) {
            for (int step = 0; step < STEPS; step++) {
                GradientSeries.giveGradients(vector, step);
                optimizer.clipping().apply(vector.gradients());
                update.apply(optimizer.rate(Progress.of(step, STEPS)));
            }
            assertThat(GradientSeries.valuesOf(vector))
                    .containsExactly(numbers(golden("optimizers").get(name)), within(1e-10));
        }
    }

    public static JsonNode golden(String key) {
        try (InputStream in = OptimizerGoldenTest.class.getResourceAsStream("/golden/optim.json")) {
            return Json.json().readTree(in).get(key);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static double[] numbers(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .mapToDouble(JsonNode::doubleValue)
                .toArray();
    }
}
