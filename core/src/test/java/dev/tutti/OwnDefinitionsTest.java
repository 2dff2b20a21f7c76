package dev.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.json.Json;
import dev.tutti.loss.Loss;
import dev.tutti.optim.Optimizer;
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
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
