package dev.tutti.optim;

import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.lion;
import static dev.tutti.optim.Optimizers.rmsprop;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.optim.schedule.Schedules;
import dev.tutti.tensor.vector.FlatVector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptimizerSettingsTest {
    @Test
    void refusesSettingsOutOfBounds() {
        refuses(() -> adam(-1), "adam: learningRate must be at least 0, received -1");
        refuses(() -> adam(Double.NaN), "adam: learningRate must be at least 0, received NaN");
        refuses(() -> adam(Double.POSITIVE_INFINITY), "adam: learningRate must be finite, received Infinity");
        refuses(() -> adam(1e-3).betas(1, 0.9), "adam: beta1 must be below 1, received 1");
        refuses(() -> lion(1e-3).betas(0.9, 1.5), "lion: beta2 must be below 1, received 1.5");
        refuses(() -> rmsprop(1e-3).alpha(-0.1), "rmsprop: alpha must be at least 0, received -0.1");
        refuses(() -> adam(1e-3).weightDecay(-1), "adam: weightDecay must be at least 0, received -1");
        refuses(() -> adam(1e-3).clipNorm(-1), "adam: clipNorm must be at least 0, received -1");
        refuses(() -> adam(1e-3).noDecay(" "), "adam: noDecay must be a list of names such as bias, received [ ]");
        refuses(
                () -> sgd(0.1).nesterov(),
                "sgd: nesterov looks ahead along the momentum, which is 0: set momentum first");
    }

    private static void refuses(Runnable call, String message) {
        assertThatThrownBy(call::run).isInstanceOf(TuttiException.class).hasMessage(message);
    }

    @Test
    void settingsReadFromAFileAreCheckedWhenBound() {
        Optimizer optimizer = Json.readYaml("{type: adam, learningRate: -0.5}", Optimizer.class, "job.yaml");
        try (FlatVector vector = GradientSeries.vector(10, DType.FLOAT32)) {
            Target target = Target.all(vector, GradientSeries.names(10, 2));
            refuses(() -> optimizer.bind(target), "adam: learningRate must be at least 0, received -0.5");
        }
    }

    @Test
    void misspeltNamesAreNoticed() {
        assertThatThrownBy(() -> Json.readYaml("adamm", Optimizer.class, "job.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("did you mean 'adam'?");
        assertThatThrownBy(() -> Json.readYaml("{type: adam, learningrate: 1}", Optimizer.class, "job.yaml"))
                .hasMessageContaining("unknown key 'learningrate': did you mean 'learningRate'?");
        try (FlatVector vector = GradientSeries.vector(10, DType.FLOAT32)) {
            Target target = Target.all(vector, GradientSeries.names(10, 2));
            refuses(
                    () -> adam(1e-3).weightDecay(0.1).noDecay("biass").bind(target),
                    "noDecay: no parameter matches 'biass': did you mean 'bias'?");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "dense1.bias, bias, true",
        "dense1.bias, dense1, true",
        "dense1.bias, dense, true",
        "dense1.bias, dense1.bias, true",
        "dense1.weight, bias, false",
        "dense12.bias, dense1, false",
        "block1.layerNorm2.weight, layerNorm, true",
        "block1.layerNorm2.weight, block1.layerNorm2, true",
        "block1.layerNorm2.weight, norm, false",
        "block1.layerNorm2.weight, layerNorm2.weight, false",
    })
    void patternsMatchPartsOfNames(String name, String pattern, boolean expected) {
        assertThat(Decay.matches(name, pattern)).isEqualTo(expected);
    }

    @Test
    void changesMakeACopy() {
        Adam first = adam(1e-3);
        Adam second = first.learningRate(0.5).clipNorm(3).betas(0.5, 0.6);
        assertThat(first.learningRate()).isEqualTo(1e-3);
        assertThat(first.clipping()).isEqualTo(Clipping.NONE);
        assertThat(second.learningRate()).isEqualTo(0.5);
        assertThat(second.clipping()).isEqualTo(new Clipping(3, 0));
    }

    @Test
    void filesHoldOnlyWhatDiffersFromTheDefaults() {
        assertThat(Json.writeYaml(adam(1e-3)).strip()).isEqualTo("type: adam");
        assertThat(Json.writeYaml(adam(0.01).schedule(Schedules.cosine().warmup(5)))
                        .strip())
                .isEqualTo("type: adam\nlearningRate: 0.01\nschedule:\n  type: cosine\n  warmup: 5");
    }
}
