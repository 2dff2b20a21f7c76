package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Dataset;
import dev.tutti.json.ConfigException;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.loss.Losses;
import dev.tutti.nn.BuildContext;
import dev.tutti.nn.ForwardContext;
import dev.tutti.nn.Layer;
import dev.tutti.nn.Layers;
import dev.tutti.nn.Sequential;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Optimizers;
import dev.tutti.optim.ParameterSlice;
import dev.tutti.optim.SelfTyped;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.optim.VectorUpdate;
import dev.tutti.optim.schedule.Progress;
import dev.tutti.optim.schedule.Schedule;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.train.Fit;
import dev.tutti.train.Trainer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An optimizer, a schedule and a loss written outside of Tutti's packages work and have names in files. */
class OwnDefinitionsTest {
    static final class HeavyBall extends SelfTyped<HeavyBall> {
        private double momentum = 0.5;

        private HeavyBall() {
            super(0.1);
        }

        HeavyBall momentum(double newMomentum) {
            return copy(c -> c.momentum = newMomentum);
        }

        @Override
        protected Update update(Target target) {
            return new VectorUpdate(target, decay()) {
                private final Tensor velocity = state("velocity");

                @Override
                protected void move(List<ParameterSlice> stretches, double rate) {
                    for (ParameterSlice s : stretches) {
                        s.values().add_(s.of(velocity).mul_(momentum).add_(s.gradients()), -rate);
                    }
                }
            };
        }
    }

    static final class EveryOther extends Schedule {
        @Override
        protected double shape(Progress progress) {
            return progress.step() % 2 == 0 ? 1 : 0.5;
        }
    }

    static final class Cubed extends Loss {
        @Override
        public Tensor compute(Tensor output, Tensor target) {
            return output.sub(target).abs().pow(3).mean();
        }
    }

    @Test
    void theyWorkLikeTheBuiltInOnes() {
        Json.register(HeavyBall.class, "heavyBall");
        Json.register(EveryOther.class, "everyOther");
        Json.register(Cubed.class, "cubed");

        Optimizer optimizer = Json.readYaml(
                "{type: heavyBall, momentum: 0.9, learningRate: 1, schedule: everyOther}", Optimizer.class, "job.yaml");
        assertThat(Json.write(optimizer))
                .isEqualTo(
                        Json.write(new HeavyBall().momentum(0.9).learningRate(1).schedule(new EveryOther())));
        try (FlatVector vector = new FlatVector(3, DType.FLOAT64, Device.CPU);
                Update update = optimizer.bind(Target.all(vector, List.of()));
                Scope scope = Scope.open()) {
            for (int step = 0; step < 2; step++) {
                vector.gradients().fill_(1);
                update.apply(optimizer.rate(Progress.of(step, 10)));
            }
            double expected = -(1 + 0.5 * (0.9 + 1));
            assertThat(vector.values().toArray().doubles())
                    .containsExactly(new double[] {expected, expected, expected}, within(1e-12));
        }

        Loss loss = Json.readYaml("cubed", Loss.class, "job.yaml");
        try (Scope scope = Scope.open()) {
            Tensor output = Tensor.of(new double[] {1, 3}, 2);
            Tensor target = Tensor.of(new double[] {0, 1}, 2);
            assertThat(loss.compute(List.of(output), List.of(target)).item()).isEqualTo(4.5);
        }
    }

    /** A layer as its author wrote it, without a line that names it. */
    static final class Unnamed extends Layer {
        @Override
        protected Shape build(Shape input, BuildContext build) {
            return input;
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x;
        }
    }

    /** A layer that could be written but not read back. */
    static final class Sized extends Layer {
        private final int size;

        Sized(int size) {
            this.size = size;
        }

        @Override
        protected Shape build(Shape input, BuildContext build) {
            return Shape.of(size);
        }

        @Override
        protected Tensor forward(Tensor x, ForwardContext pass) {
            return x;
        }
    }

    @Test
    void aClassWithoutANameIsRefusedWithTheLineToWrite(@TempDir Path folder) {
        String line = "call Json.register(Unnamed.class, \"unnamed\") before training";
        Dataset data = Dataset.of(NdArray.of(new float[8], 4, 2), NdArray.of(new float[4], 4, 1))
                .batch(2);
        Layer model = Sequential.of(Layers.dense(3), new Unnamed(), Layers.dense(1));
        try (Trainer trainer = Trainer.of(model, Optimizers.sgd(0.1), Losses.mse())) {
            assertThatThrownBy(() -> trainer.fit(data, Fit.epochs(1)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("the layer " + Unnamed.class.getName() + " has no name in files")
                    .hasMessageContaining(line);
            trainer.build(data);
            assertThatThrownBy(() -> trainer.save(folder.resolve("model")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(line);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void lambdasAmongTheFeaturesAreRefusedToo() {
        Dataset data = Dataset.of(NdArray.of(new float[8], 4, 2), NdArray.of(new float[4], 4, 1))
                .batch(2);
        try (Trainer trainer =
                Trainer.of(Layers.dense(1), Optimizers.sgd(0.1), Losses.mse()).preprocessing(sample -> sample)) {
            assertThatThrownBy(() -> trainer.fit(data, Fit.epochs(1)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("a lambda");
        }
    }

    @Test
    void aClassThatCannotBeReadBackIsNotRegistered() {
        assertThatThrownBy(() -> Json.register(Sized.class, "sized"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("has no constructor without arguments");
        assertThatThrownBy(() -> Json.register(Unnamed.class, "dense"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("the name belongs to dev.tutti.nn.Dense");
    }
}
