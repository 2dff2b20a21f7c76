package dev.tutti.train.worker;

import static dev.tutti.loss.Losses.mse;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Batch;
import dev.tutti.data.Dataset;
import dev.tutti.nn.ComputePrecision;
import dev.tutti.nn.Initializer;
import dev.tutti.nn.Input;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.tensor.Scope;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import dev.tutti.train.TrainingConfig;
import dev.tutti.train.TrainingException;
import dev.tutti.train.profile.Timing;
import dev.tutti.train.replica.Replica;
import dev.tutti.train.replica.StepInput;
import dev.tutti.train.replica.StepPlan;
import dev.tutti.train.replica.Strategy;
import dev.tutti.train.replica.Vote;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Losses that are scaled for fp16: overflows are found, steps skipped, and the factor follows. */
class LossScaleTest {
    private static final Vote MORE = new Vote(true, false, false);

    private static Model model(ComputePrecision precision) {
        return Model.of(
                Sequential.of(dense(1)), Model.Options.DEFAULT.seed(1).precision(precision), List.of(Input.of(2)));
    }

    private static void setGradients(Model model, double value) {
        try (Scope scope = Scope.open()) {
            model.vector().gradients().fill_(value);
        }
    }

    @Test
    void anOverflowHalvesAndManyGoodStepsDouble() {
        try (Model model = model(ComputePrecision.FP16);
                LossScale scale = new LossScale()) {
            assertThat(scale.value()).isEqualTo(LossScale.FIRST);
            setGradients(model, LossScale.FIRST * 0.75);
            assertThat(scale.restore(model, 1)).isTrue();
            try (Scope scope = Scope.open()) {
                assertThat(model.vector().gradients().toArray().floats()).containsOnly(0.75f);
            }
            setGradients(model, Double.POSITIVE_INFINITY);
            assertThat(scale.restore(model, 2)).isFalse();
            assertThat(scale.value()).isEqualTo(LossScale.FIRST / 2);
            setGradients(model, Double.NaN);
            assertThat(scale.restore(model, 3)).isFalse();
            assertThat(scale.value()).isEqualTo(LossScale.FIRST / 4);
            setGradients(model, 0);
            for (int step = 1; step < LossScale.GROWTH_STEPS; step++) {
                assertThat(scale.restore(model, step)).isTrue();
            }
            assertThat(scale.value()).isEqualTo(LossScale.FIRST / 4);
            scale.restore(model, 0);
            assertThat(scale.value()).isEqualTo(LossScale.FIRST / 2);
        }
    }

    @Test
    void whatIsNotTheFactorsFaultIsNamed() {
        try (Model model = model(ComputePrecision.FP16);
                LossScale scale = new LossScale()) {
            assertThatThrownBy(() -> {
                        for (int step = 0; step < 100; step++) {
                            setGradients(model, Double.NaN);
                            scale.restore(model, step);
                        }
                    })
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("the gradient of dense1.weight is not finite in step 17")
                    .hasMessageContaining("multiplied by only 0.5");
        }
    }

    private static float[] values(Model model) {
        return model.arrays().get("dense1.weight").floats().clone();
    }

    @Test
    void aStepWhoseGradientsOverflowIsSkipped() {
        Batch batch = new Batch(
                List.of(NdArray.of(new float[] {200, 100, -50, 25}, 2, 2)),
                List.of(NdArray.of(new float[] {10, -10}, 2, 1)),
                2);
        TrainingConfig recipe = TrainingConfig.of(sgd(1e-6), mse());
        try (Model model = model(ComputePrecision.FP16);
                Model full = model(ComputePrecision.FLOAT32);
                Replica replica = Strategy.local().replica(model, recipe, Team.alone(1), new Timing());
                Replica twin = Strategy.local().replica(full, recipe, Team.alone(1), new Timing())) {
            float[] first = values(model);
            int skipped = 0;
            while (Arrays.equals(values(model), first)) {
                replica.step(new StepPlan(skipped, 1e-6), StepInput.of(MORE, batch));
                skipped++;
                assertThat(skipped).isLessThan(20);
            }
            assertThat(skipped).as("steps until the factor was small enough").isGreaterThan(2);
            twin.step(new StepPlan(0, 1e-6), StepInput.of(MORE, batch));
            float[] expected = values(full);
            float[] actual = values(model);
            for (int i = 0; i < expected.length; i++) {
                double step = expected[i] - first[i];
                assertThat((double) actual[i] - first[i])
                        .isBetween(step - Math.abs(step) * 0.01, step + Math.abs(step) * 0.01);
            }
        }
    }

    @Test
    void smallGradientsSurvive() {
        Batch batch = new Batch(
                List.of(NdArray.of(new float[] {1e-4f, 1e-4f}, 1, 2)),
                List.of(NdArray.of(new float[] {1e-4f}, 1, 1)),
                1);
        TrainingConfig recipe = TrainingConfig.of(sgd(1), mse());
        try (Model model = Model.of(
                        Sequential.of(dense(1).init(Initializer.ZEROS)),
                        Model.Options.DEFAULT.precision(ComputePrecision.FP16),
                        List.of(Input.of(2)));
                Replica replica = Strategy.local().replica(model, recipe, Team.alone(1), new Timing())) {
            replica.step(new StepPlan(0, 1), StepInput.of(MORE, batch));
            // -2 * 1e-4 * 1e-4 is less than half of what fp16 can tell from zero
            assertThat(values(model)[0]).isBetween(1.8e-8f, 2.2e-8f);
        }
    }

    @Test
    void aStrategyThatScalesNoLossesIsRefused() {
        NdArray x = NdArray.of(new float[] {1, 2}, 1, 2);
        Strategy other = (model, recipe, team, timing) -> {
            throw new AssertionError("refused before");
        };
        try (Trainer trainer =
                Trainer.of(Sequential.of(dense(1)), sgd(0.1), mse()).precision("fp16")) {
            assertThatThrownBy(() -> trainer.fit(
                            Dataset.of(x, NdArray.of(new float[] {1}, 1, 1)),
                            Fit.epochs(1).with(other)))
                    .isInstanceOf(TrainingException.class)
                    .hasMessageContaining("precision fp16 needs losses that are scaled")
                    .hasMessageContaining("or precision bf16");
        }
    }
}
