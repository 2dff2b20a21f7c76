package dev.tutti.nn;

import static dev.tutti.nn.Layers.batchNorm;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.dropout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** Predictions from plain arrays. */
class ModelPredictTest {
    private static final NdArray BATCH = NdArray.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);

    private static Model model() {
        return Model.of(Sequential.of(dense(8).relu(), batchNorm(), dropout(0.5), dense(2)), Input.of(3));
    }

    @Test
    void areThoseOfAForwardPassInPredictionMode() {
        try (Model model = model();
                Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            model.training(false);
            NdArray expected = model.forward(Tensor.of(BATCH)).toArray();
            assertThat(model.predict(BATCH)).isEqualTo(expected);
            assertThat(expected.shape()).isEqualTo(Shape.of(2, 2));
        }
    }

    @Test
    void areTheSameWhileTrainingAndLeaveTheModeAlone() {
        try (Model model = model()) {
            NdArray before = model.predict(BATCH);
            model.training(true);
            NdArray statistics = model.arrays().get("batchNorm1.running_mean");
            assertThat(statistics).isNotNull();
            assertThat(model.predict(BATCH)).as("no dropout").isEqualTo(before);
            assertThat(model.arrays().get("batchNorm1.running_mean")).isEqualTo(statistics);
            try (Scope scope = Scope.open()) {
                assertThat(model.forward(Tensor.of(BATCH)).toArray())
                        .as("training goes on as it was")
                        .isNotEqualTo(before);
            }
        }
    }

    @Test
    void aBatchThatDoesNotFitIsNamed() {
        try (Model model = model()) {
            assertThatThrownBy(() -> model.predict(NdArray.of(new float[8], 2, 4)))
                    .isInstanceOf(ShapeException.class)
                    .hasMessageContaining("[3]")
                    .hasMessageContaining("[2, 4]");
        }
    }
}
