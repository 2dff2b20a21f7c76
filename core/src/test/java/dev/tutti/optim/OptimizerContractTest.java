package dev.tutti.optim;

import static dev.tutti.optim.Optimizers.adagrad;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.adamW;
import static dev.tutti.optim.Optimizers.lion;
import static dev.tutti.optim.Optimizers.rmsprop;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.json.Json;
import dev.tutti.optim.schedule.Schedules;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every optimizer has to keep; a new one is listed in {@link #cases()} with its twin. */
class OptimizerContractTest {
    private static final double RATE = 0.05;
    private static final int STEPS = 50;
    private static final int SIZE = 131;

    record Case(String name, Optimizer optimizer, Supplier<Twin> twin) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case("sgd", sgd(RATE), () -> Twin.sgd(0, false, 0)),
                new Case("sgd momentum", sgd(RATE).momentum(0.9).weightDecay(0.1), () -> Twin.sgd(0.9, false, 0.1)),
                new Case("sgd nesterov", sgd(RATE).momentum(0.9).nesterov(), () -> Twin.sgd(0.9, true, 0)),
                new Case("adam", adam(RATE), () -> Twin.adam(0.9, 0.999, 1e-8, 0, false)),
                new Case(
                        "adam decay",
                        adam(RATE).weightDecay(0.1).betas(0.8, 0.95).epsilon(1e-6),
                        () -> Twin.adam(0.8, 0.95, 1e-6, 0.1, false)),
                new Case("adamW", adamW(RATE), () -> Twin.adam(0.9, 0.999, 1e-8, 0.01, true)),
                new Case("adagrad", adagrad(RATE).weightDecay(0.1), () -> Twin.adagrad(0.1)),
                new Case("rmsprop", rmsprop(RATE), () -> Twin.rmsprop(0.99, 0, false, 0)),
                new Case(
                        "rmsprop centred",
                        rmsprop(RATE).alpha(0.9).momentum(0.9).centred().weightDecay(0.1),
                        () -> Twin.rmsprop(0.9, 0.9, true, 0.1)),
                new Case("lion", lion(RATE).weightDecay(0.1), () -> Twin.lion(0.1)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void equalsItsTwin(Case c) {
        assertThat(run(c, DType.FLOAT64)).containsExactly(twin(c), within(1e-10));
        assertThat(run(c, DType.FLOAT32)).containsExactly(twin(c), within(1e-5));
    }

    private static double[] run(Case c, DType type) {
        try (FlatVector vector = GradientSeries.vector(SIZE, type);
                Update update = c.optimizer.bind(all(vector))) {
            steps(vector, List.of(update), 0, STEPS);
            return GradientSeries.valuesOf(vector);
        }
    }

    private static double[] twin(Case c) {
        double[] values = GradientSeries.values(SIZE);
        Twin twin = c.twin.get();
        for (int step = 0; step < STEPS; step++) {
            twin.step(step + 1, values, GradientSeries.gradients(SIZE, step), RATE);
        }
        return values;
    }

    /** Processors need a hundred times as long for such numbers. */
    @ParameterizedTest
    @MethodSource("cases")
    void whatNoGradientsFollowOnFadesToZeroAndNotToDenormals(Case c) {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
                Update update = c.optimizer.bind(all(vector));
                Scope scope = Scope.open()) {
            steps(vector, List.of(update), 0, 1);
            for (int step = 0;
                    step < 950;
                    step++) { // 0.9 to the 830th is too small for a float, to the 980th for a denormal
                vector.values().zero_(); // decay makes gradients of them
                vector.gradients().zero_();
                update.apply(RATE);
            }
            update.state().forEach((name, tensor) -> {
                for (float value : tensor.toArray().floats()) {
                    assertThat(value == 0 || Math.abs(value) >= Float.MIN_NORMAL)
                            .as("%s: %s", name, value)
                            .isTrue();
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void restoredInTheMiddleGoesOnToTheSameBits(Case c) {
        try (FlatVector straight = GradientSeries.vector(SIZE, DType.FLOAT32);
                FlatVector broken = GradientSeries.vector(SIZE, DType.FLOAT32);
                Update whole = c.optimizer.bind(all(straight))) {
            steps(straight, List.of(whole), 0, STEPS);

            Map<String, NdArray> saved = new LinkedHashMap<>();
            try (Update before = c.optimizer.bind(all(broken));
                    Scope scope = Scope.open()) {
                steps(broken, List.of(before), 0, 20);
                before.state().forEach((name, tensor) -> saved.put(name, tensor.toArray()));
            }
            try (Update after = c.optimizer.bind(all(broken));
                    Scope scope = Scope.open()) {
                assertThat(after.state().keySet()).containsExactlyInAnyOrderElementsOf(saved.keySet());
                after.state().forEach((name, tensor) -> tensor.write(saved.get(name)));
                steps(broken, List.of(after), 20, STEPS);
            }
            assertThat(GradientSeries.valuesOf(broken)).isEqualTo(GradientSeries.valuesOf(straight));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void dividedGivesTheSameBitsAsTheWhole(Case c) {
        for (DType type : List.of(DType.FLOAT32, DType.FLOAT64)) {
            try (FlatVector one = GradientSeries.vector(SIZE, type);
                    FlatVector many = GradientSeries.vector(SIZE, type);
                    Update whole = c.optimizer.bind(partlyFrozen(one))) {
                Target divided = partlyFrozen(many);
                List<Update> parts = divided.parts(3).stream()
                        .map(part -> c.optimizer.bind(divided.part(part)))
                        .toList();
                steps(one, List.of(whole), 0, STEPS);
                steps(many, parts, 0, STEPS);
                parts.forEach(Update::close);
                assertThat(GradientSeries.valuesOf(many)).isEqualTo(GradientSeries.valuesOf(one));
            }
        }
    }

    /** One that cannot read them there says so, and has changed nothing. */
    @ParameterizedTest
    @MethodSource("cases")
    void gradientsElsewhereGiveTheSameBitsAndStayAsTheyAre(Case c) {
        try (FlatVector one = GradientSeries.vector(SIZE, DType.FLOAT32);
                FlatVector other = GradientSeries.vector(SIZE, DType.FLOAT32);
                Update own = c.optimizer.bind(partlyFrozen(one));
                Update elsewhere = c.optimizer.bind(partlyFrozen(other));
                Scope scope = Scope.open()) {
            steps(one, List.of(own), 0, STEPS);
            boolean reads = true;
            for (int step = 0; step < STEPS; step++) {
                GradientSeries.giveGradients(other, step);
                Tensor given = other.gradients().copy();
                Tensor kept = given.copy();
                other.gradients().fill_(Double.NaN);
                reads = elsewhere.applyFrom(given, RATE);
                if (!reads) {
                    other.gradients().copy_(given);
                    elsewhere.apply(RATE);
                }
                assertThat(given.toArray()).isEqualTo(kept.toArray());
            }
            assertThat(GradientSeries.valuesOf(other)).isEqualTo(GradientSeries.valuesOf(one));
            assertThat(reads).isEqualTo(!c.name.startsWith("rmsprop") && !c.name.equals("lion"));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void stateOfPartsIsThatOfTheWhole(Case c) {
        try (FlatVector one = GradientSeries.vector(SIZE, DType.FLOAT32);
                FlatVector many = GradientSeries.vector(SIZE, DType.FLOAT32);
                Update whole = c.optimizer.bind(partlyFrozen(one));
                PartedUpdate parts = PartedUpdate.of(
                        c.optimizer, partlyFrozen(many), partlyFrozen(many).parts(3))) {
            steps(one, List.of(whole), 0, STEPS);
            steps(many, parts, 0, STEPS);
            assertThat(GradientSeries.valuesOf(many)).isEqualTo(GradientSeries.valuesOf(one));
            assertThat(parts.state().keySet()).isEqualTo(whole.state().keySet());
            whole.state()
                    .forEach(
                            (name, tensor) -> assertThat(parts.state().get(name).toArray())
                                    .as(name)
                                    .isEqualTo(tensor.toArray()));

            try (FlatVector other = GradientSeries.vector(SIZE, DType.FLOAT32);
                    PartedUpdate restored = PartedUpdate.of(
                            c.optimizer,
                            partlyFrozen(other),
                            partlyFrozen(other).parts(2))) {
                other.values().copy_(one.values());
                whole.state()
                        .forEach((name, tensor) -> restored.state().get(name).copy_(tensor));
                steps(one, List.of(whole), STEPS, STEPS + 3);
                steps(other, restored, STEPS, STEPS + 3);
                assertThat(GradientSeries.valuesOf(other))
                        .as("gone on with in parts")
                        .isEqualTo(GradientSeries.valuesOf(one));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void frozenPartsDoNotMove(Case c) {
        Optimizer decaying = c.optimizer.weightDecay(0.1).noDecay("bias");
        for (Optimizer optimizer : List.of(c.optimizer, decaying)) {
            try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
                    Update update = optimizer.bind(partlyFrozen(vector))) {
                double[] before = GradientSeries.valuesOf(vector);
                steps(vector, List.of(update), 0, 5);
                double[] after = GradientSeries.valuesOf(vector);
                for (int i = 0; i < SIZE; i++) {
                    boolean isFrozen = i >= 40 && i < 61;
                    assertThat(after[i] == before[i]).as("value %d stays", i).isEqualTo(isFrozen);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void freezingWhileTrainingStopsAndThawingGoesOn(Case c) {
        boolean[] thawed = {true};
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
                Update update = c.optimizer.bind(new Target(
                        vector,
                        vector.all(),
                        GradientSeries.names(SIZE, 31),
                        () -> thawed[0] ? List.of(vector.all()) : List.of()))) {
            steps(vector, List.of(update), 0, 3);
            double[] held = GradientSeries.valuesOf(vector);
            thawed[0] = false;
            steps(vector, List.of(update), 3, 6);
            assertThat(GradientSeries.valuesOf(vector)).isEqualTo(held);
            thawed[0] = true;
            steps(vector, List.of(update), 6, 9);
            assertThat(GradientSeries.valuesOf(vector)).isNotEqualTo(held);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void decayByGroupLeavesTheGroupAsWithoutDecay(Case c) {
        double[] none = afterSteps(c.optimizer.weightDecay(0));
        double[] all = afterSteps(c.optimizer.weightDecay(0.2));
        double[] group = afterSteps(c.optimizer.weightDecay(0.2).noDecay("bias"));
        int cut = SIZE - 31;
        assertThat(Arrays.copyOfRange(group, cut, SIZE))
                .containsExactly(Arrays.copyOfRange(none, cut, SIZE), within(1e-12));
        assertThat(Arrays.copyOf(group, cut)).containsExactly(Arrays.copyOf(all, cut), within(1e-12));
        assertThat(all[SIZE - 1]).isNotEqualTo(none[SIZE - 1]);
    }

    private static double[] afterSteps(Optimizer optimizer) {
        try (FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT64);
                Update update = optimizer.bind(all(vector))) {
            steps(vector, List.of(update), 0, 10);
            return GradientSeries.valuesOf(vector);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isWrittenAndReadBack(Case c) {
        Optimizer full = c.optimizer
                .noDecay("bias", "norm")
                .clipNorm(1)
                .clipValue(0.5)
                .schedule(Schedules.cosine().floor(0.1).warmup(10));
        for (Optimizer optimizer : List.of(c.optimizer, full)) {
            String json = Json.write(optimizer);
            Optimizer read = Json.read(json, Optimizer.class, "test");
            assertThat(read.getClass()).isEqualTo(optimizer.getClass());
            assertThat(Json.write(read)).isEqualTo(json);
            assertThat(Json.write(Json.readYaml(Json.writeYaml(optimizer), Optimizer.class, "test")))
                    .isEqualTo(json);
            assertThat(read.learningRate()).isEqualTo(RATE);
            assertThat(read.clipping()).isEqualTo(optimizer.clipping());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isReadByItsBareName(Case c) {
        Optimizer read = Json.readYaml(c.optimizer.kind(), Optimizer.class, "test");
        assertThat(read).hasSameClassAs(c.optimizer);
        assertThat(read.learningRate()).isPositive();
        read.validate();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void saysWhenItIsUsedAfterItWasClosed(Case c) {
        FlatVector vector = GradientSeries.vector(SIZE, DType.FLOAT32);
        Update update = c.optimizer.bind(all(vector));
        update.apply(RATE);
        vector.close();
        assertThatThrownBy(() -> update.apply(RATE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        update.close();
        update.close();
        assertThatThrownBy(() -> update.apply(RATE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT32", "FLOAT64"})
    void manyBindingsLeaveTheSharedValuesUsable(DType type) {
        try (FlatVector vector = GradientSeries.vector(SIZE, type)) {
            for (int i = 0; i < 200; i++) {
                try (Update update = adam(RATE).bind(all(vector))) {
                    steps(vector, List.of(update), i, i + 2);
                }
            }
            assertThat(vector.values().isFinite()).isTrue();
        }
    }

    private static Target all(FlatVector vector) {
        return Target.all(vector, GradientSeries.names(SIZE, 31));
    }

    /** 40 to 60 do not learn; the stretches begin and end where no block does. */
    private static Target partlyFrozen(FlatVector vector) {
        List<Range> trainable = List.of(Range.between(0, 40), Range.between(61, SIZE));
        return new Target(vector, vector.all(), GradientSeries.names(SIZE, 31), () -> trainable);
    }

    private static void steps(FlatVector vector, List<Update> updates, int from, int to) {
        for (int step = from; step < to; step++) {
            GradientSeries.giveGradients(vector, step);
            updates.forEach(update -> update.apply(RATE));
        }
    }

    private static void steps(FlatVector vector, PartedUpdate update, int from, int to) {
        for (int step = from; step < to; step++) {
            GradientSeries.giveGradients(vector, step);
            update.begin();
            for (int part = update.parts() - 1; part >= 0; part--) {
                update.apply(part, RATE);
            }
        }
    }
}
