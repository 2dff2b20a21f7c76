package dev.tutti.optim.schedule;

import static dev.tutti.optim.schedule.Schedules.constant;
import static dev.tutti.optim.schedule.Schedules.cosine;
import static dev.tutti.optim.schedule.Schedules.exponential;
import static dev.tutti.optim.schedule.Schedules.linear;
import static dev.tutti.optim.schedule.Schedules.oneCycle;
import static dev.tutti.optim.schedule.Schedules.reduceOnPlateau;
import static dev.tutti.optim.schedule.Schedules.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import dev.tutti.json.Json;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.OptimizerGoldenTest;
import dev.tutti.optim.Optimizers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScheduleTest {
    /** Every schedule, by the name of its golden values where PyTorch has it. */
    private static final Map<String, Schedule> CASES = Map.of(
            "constant", constant(),
            "step", step(3).factor(0.5),
            "milestones", step(1).at(4, 7),
            "exponential", exponential(0.9),
            "linear", linear().floor(0.1),
            "cosine", cosine(),
            "cosine floor", cosine().floor(0.25),
            "cosine warmup", cosine().warmup(4),
            "oneCycle", oneCycle().steps(20),
            "plateau", reduceOnPlateau(0.5, 2).cooldown(1).floor(0.2));

    static Stream<String> names() {
        return CASES.keySet().stream().sorted();
    }

    static Iterable<String> golden() {
        return () -> OptimizerGoldenTest.golden("schedules").fieldNames();
    }

    @ParameterizedTest
    @MethodSource("golden")
    void equalsPyTorch(String name) {
        double[] expected = OptimizerGoldenTest.numbers(
                OptimizerGoldenTest.golden("schedules").get(name));
        double[] metrics = OptimizerGoldenTest.numbers(OptimizerGoldenTest.golden("plateau"));
        List<Double> factors = new ArrayList<>();
        for (int step = 0; step < expected.length; step++) {
            List<Double> observed = DoubleStream.of(metrics).limit(step).boxed().toList();
            factors.add(CASES.get(name).factor(Progress.of(step, 1, 12).observed(observed)));
        }
        assertThat(factors).hasSize(expected.length);
        for (int step = 0; step < expected.length; step++) {
            assertThat(factors.get(step)).as("step %d", step).isCloseTo(expected[step], within(1e-12));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void isAShareOfTheRateAtEveryStepAndBeyondTheEnd(String name) {
        for (long step = 0; step < 30; step++) {
            assertThat(CASES.get(name).factor(Progress.of(step, 4, 5))).isBetween(0.0, 1.0);
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void isWrittenAndReadBack(String name) {
        Schedule schedule = CASES.get(name).warmup(3);
        String json = Json.write(schedule);
        Schedule read = Json.read(json, Schedule.class, "test");
        assertThat(Json.write(read)).isEqualTo(json);
        assertThat(Json.write(Json.readYaml(Json.writeYaml(schedule), Schedule.class, "test")))
                .isEqualTo(json);
        Progress progress = Progress.of(9, 4, 5).observed(List.of(1.0, 1.0, 1.0, 1.0));
        assertThat(read.factor(progress)).isEqualTo(schedule.factor(progress));
    }

    @ParameterizedTest
    @MethodSource("names")
    void isReadByItsBareName(String name) {
        Schedule schedule = CASES.get(name);
        Schedule read = Json.readYaml(schedule.kind(), Schedule.class, "test");
        assertThat(read).hasSameClassAs(schedule);
        read.validate();
        assertThat(read.factor(Progress.of(3, 10, 5))).isBetween(0.0, 1.0);
    }

    @Test
    void aRunMayEndWithinTheWarmup() {
        Schedule schedule = cosine().warmup(9);
        assertThat(schedule.factor(Progress.of(0, 2))).isEqualTo(0.1);
        assertThat(schedule.factor(Progress.of(1, 2))).isEqualTo(0.2);
    }

    @Test
    void warmupRisesEvenlyAndNeverWastesAStep() {
        Schedule schedule = constant().warmup(4);
        double[] factors = LongStream.range(0, 6)
                .mapToDouble(i -> schedule.factor(Progress.of(i, 10)))
                .toArray();
        assertThat(factors).containsExactly(new double[] {0.2, 0.4, 0.6, 0.8, 1, 1}, within(1e-15));
    }

    @Test
    void lengthsMayBeGivenInStepsOrEpochs() {
        Progress middle = Progress.of(50, 10, 100);
        assertThat(linear().steps(100).factor(middle)).isEqualTo(0.5);
        assertThat(linear().epochs(10).factor(middle)).isEqualTo(0.5);
        assertThat(linear().factor(middle)).isEqualTo(0.95);
        assertThat(step(1).factor(0.5).everySteps(20).factor(middle)).isEqualTo(0.25);
        assertThat(exponential(0.25).perSteps(100).factor(middle)).isEqualTo(0.5);
        assertThat(exponential(0.25).floor(0.3).factor(middle)).isEqualTo(0.3);
    }

    @Test
    void plateauMayWatchSomethingThatRises() {
        Schedule schedule = reduceOnPlateau(0.5, 1).monitor("accuracy").higherIsBetter();
        assertThat(schedule.monitor()).contains("accuracy");
        Progress progress = Progress.of(0, 10);
        assertThat(schedule.factor(progress.observed(List.of(0.7, 0.8, 0.9)))).isEqualTo(1);
        assertThat(schedule.factor(progress.observed(List.of(0.9, 0.8, 0.7)))).isEqualTo(0.5);
    }

    @Test
    void aNumberThatIsNotOneCountsAsNoBetter() {
        List<Double> observed = List.of(Double.NaN, Double.NaN);
        assertThat(reduceOnPlateau(0.5, 1).factor(Progress.of(0, 10).observed(observed)))
                .isEqualTo(0.5);
    }

    @Test
    void theOptimizerScalesItsRate() {
        Optimizer optimizer = Optimizers.adam(0.2).schedule(linear());
        assertThat(optimizer.rate(Progress.of(5, 10))).isEqualTo(0.1);
        assertThat(Optimizers.adam(0.2).rate(Progress.of(5, 10))).isEqualTo(0.2);
    }

    @Test
    void saysWhatIsMissingWhenTheLengthIsNotKnown() {
        assertThatThrownBy(() -> cosine().factor(Progress.of(5, 0)))
                .isInstanceOf(TuttiException.class)
                .hasMessage("cosine: the length of the run is not known, so it has to be given: "
                        + "cosine().steps(n) or .epochs(n)");
        assertThatThrownBy(() -> step(2).factor(Progress.of(5, 10)))
                .hasMessageContaining("step: it is counted in epochs, but the number of steps in one is not known");
        assertThatThrownBy(() -> oneCycle().factor(Progress.of(5, 0))).hasMessageContaining("oneCycle().steps(n)");
    }

    @Test
    void refusesSettingsOutOfBounds() {
        assertThatThrownBy(() -> cosine().floor(2)).hasMessage("cosine: floor must be at most 1, received 2");
        assertThatThrownBy(() -> cosine().warmup(-1)).hasMessage("cosine: warmup must be at least 0, received -1");
        assertThatThrownBy(() -> exponential(0)).hasMessage("exponential: factor must be above 0, received 0");
        assertThatThrownBy(() -> reduceOnPlateau(1, 3))
                .hasMessage("reduceOnPlateau: factor must be below 1, received 1");
        assertThatThrownBy(() -> Json.readYaml("{type: cosine, steps: 3, epochs: 2}", Schedule.class, "job.yaml")
                        .validate())
                .hasMessage("cosine: give its length in epochs or in steps, not in both");
    }
}
