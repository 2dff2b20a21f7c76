package dev.tutti.metric;

import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.metric.Metrics.auc;
import static dev.tutti.metric.Metrics.confusionMatrix;
import static dev.tutti.metric.Metrics.f1;
import static dev.tutti.metric.Metrics.mae;
import static dev.tutti.metric.Metrics.precision;
import static dev.tutti.metric.Metrics.r2;
import static dev.tutti.metric.Metrics.recall;
import static dev.tutti.metric.Metrics.rmse;
import static dev.tutti.metric.Metrics.topK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every metric promises; a new one is listed in {@link #metrics} and has its tests. */
class MetricContractTest {
    /** A metric and the shapes of one row it is fed with; no target classes means regression. */
    record Case(Metric metric, Shape predictions, Shape targets, int targetClasses) {
        @Override
        public String toString() {
            return metric.name() + " of " + predictions;
        }
    }

    /** A metric as a user writes one: a share of rows, with a setting. */
    record Confident(double from) implements MeanMetric {
        @Override
        public void measure(NdArray predictions, NdArray targets, Mean mean) {
            for (int row = 0; row < predictions.shape().dim(0); row++) {
                mean.add(Math.abs(predictions.row(row).at(0)) >= from ? 1 : 0);
            }
        }
    }

    /** A metric as a user writes one: a mean of numbers, without a setting, where less is better. */
    static final class Distance implements MeanMetric {
        @Override
        public void measure(NdArray predictions, NdArray targets, Mean mean) {
            for (int i = 0; i < predictions.size(); i++) {
                mean.add(Math.abs(predictions.at(i) - targets.at(i)));
            }
        }

        @Override
        public boolean higherIsBetter() {
            return false;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Distance;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @BeforeAll
    static void registerOwnMetrics() {
        Json.register(Confident.class, "confident");
        Json.register(Distance.class, "distance");
    }

    static Stream<Case> metrics() {
        Shape one = Shape.scalar();
        return Stream.of(
                new Case(accuracy(), Shape.of(7), one, 7),
                new Case(accuracy(), Shape.of(5, 4), Shape.of(5), 4),
                new Case(accuracy().threshold(0.5), one, one, 2),
                new Case(topK(3), Shape.of(7), one, 7),
                new Case(auc(), one, one, 2),
                new Case(auc(), Shape.of(2), one, 2),
                new Case(precision(), Shape.of(1), one, 2),
                new Case(precision().micro(), Shape.of(7), one, 7),
                new Case(recall(), Shape.of(7), one, 7),
                new Case(recall().threshold(0.25).binary(), one, one, 2),
                new Case(f1(), Shape.of(2), one, 2),
                new Case(f1().macro(), Shape.of(7), one, 7),
                new Case(confusionMatrix(), Shape.of(7), one, 7),
                new Case(confusionMatrix().threshold(0.1), one, one, 2),
                new Case(mae(), one, one, 0),
                new Case(mae(), Shape.of(3, 2), Shape.of(3, 2), 0),
                new Case(rmse(), Shape.of(4), Shape.of(4), 0),
                new Case(r2(), one, one, 0),
                new Case(r2(), Shape.of(3), Shape.of(3), 0),
                new Case(new Confident(0.5), Shape.of(7), one, 7),
                new Case(new Confident(0), Shape.of(7), one, 7),
                new Case(new Distance(), Shape.of(3), Shape.of(3), 0));
    }

    @Test
    void aMeanMetricIsTheMeanOfWhatItMeasuredAndIsNamedByItsClass() {
        MetricState state = new Confident(0.5).newState();
        state.update(NdArray.of(new float[] {0.9f, 0.1f, -0.7f, 0.2f}, 4, 1), NdArray.of(new long[4], 4));
        state.update(NdArray.of(new float[] {0.6f}, 1, 1), NdArray.of(new long[1], 1));
        assertThat(state.value()).isEqualTo(3 / 5.0);
        assertThat(new Confident(0.5).name()).isEqualTo("confident");
    }

    @Test
    void aMeanMetricThatFailsInTheMiddleOfABatchKeepsNothingOfIt() {
        MeanMetric failing = (predictions, targets, mean) -> {
            mean.add(1);
            throw new MetricException("failing", "the second row cannot be measured");
        };
        MetricState state = failing.newState();
        NdArray batch = NdArray.of(new float[2], 2);
        assertThatThrownBy(() -> state.update(batch, batch)).hasMessageContaining("second row");
        assertThat(state.value()).isNaN();
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void partsInAnyOrderGiveExactlyTheWhole(Case c) {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            int rows = 40 + random.nextInt(200);
            NdArray predictions = predictions(c, rows, random);
            NdArray targets = targets(c, rows, random);
            MetricState whole = c.metric.newState();
            whole.update(predictions, targets);
            assertThat(whole.value()).as("a value to compare").isNotNaN();

            List<MetricState> parts = new ArrayList<>();
            for (int from = 0; from < rows; ) {
                int middle = Math.min(rows, from + random.nextInt(20));
                int to = Math.min(rows, middle + 1 + random.nextInt(20));
                MetricState part = c.metric.newState();
                part.update(predictions.rows(from, middle), targets.rows(from, middle));
                part.update(predictions.rows(middle, to), targets.rows(middle, to));
                parts.add(part);
                from = to;
            }
            Collections.shuffle(parts, random);
            MetricState merged = c.metric.newState();
            for (MetricState part : parts) {
                MetricState arrived = c.metric.newState();
                arrived.restore(part.snapshot());
                merged.merge(arrived);
            }
            assertThat(Double.doubleToLongBits(merged.value())).isEqualTo(Double.doubleToLongBits(whole.value()));
            assertThat(merged.snapshot()).isEqualTo(whole.snapshot());
        }
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void aRestoredStateGoesOnAsTheFirstWouldHave(Case c) {
        Random random = new Random(3);
        NdArray predictions = predictions(c, 30, random);
        NdArray targets = targets(c, 30, random);
        MetricState first = c.metric.newState();
        first.update(predictions, targets);
        MetricState second = c.metric.newState();
        second.update(predictions.rows(0, 7), targets.rows(0, 7)); // to be forgotten
        second.restore(first.snapshot());
        assertThat(second.value()).isEqualTo(first.value());

        NdArray snapshot = second.snapshot();
        first.update(predictions.rows(3, 9), targets.rows(3, 9));
        second.update(predictions.rows(3, 9), targets.rows(3, 9));
        assertThat(second.value()).isEqualTo(first.value());
        assertThat(snapshot).as("a snapshot does not change afterwards").isNotEqualTo(second.snapshot());
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void nothingSeenIsNaNAndAddsNothing(Case c) {
        MetricState state = c.metric.newState();
        assertThat(state.value()).isNaN();
        Random random = new Random(4);
        state.update(predictions(c, 0, random), targets(c, 0, random));
        assertThat(state.value()).isNaN();

        state.update(predictions(c, 25, random), targets(c, 25, random));
        double value = state.value();
        state.merge(c.metric.newState());
        assertThat(state.value()).isEqualTo(value);
        MetricState empty = c.metric.newState();
        empty.restore(c.metric.newState().snapshot());
        empty.merge(state);
        assertThat(empty.value()).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void oneRowGivesANumberOrNaNWhereOneSaysNothing(Case c) {
        MetricState state = c.metric.newState();
        Random random = new Random(5);
        state.update(predictions(c, 1, random), targets(c, 1, random));
        if (c.metric instanceof Auc || c.metric instanceof R2) {
            assertThat(state.value()).isNaN();
        } else if (c.metric.higherIsBetter()) {
            assertThat(state.value()).isBetween(0.0, 1.0);
        } else {
            assertThat(state.value()).isPositive().isFinite();
        }
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void isTheSameAfterJsonAndYaml(Case c) {
        Metric read = Json.read(Json.write(c.metric), Metric.class, "metric");
        assertThat(read).isEqualTo(c.metric).hasSameHashCodeAs(c.metric);
        assertThat(read.name()).isEqualTo(c.metric.name());
        assertThat(Json.readYaml(Json.writeYaml(c.metric), Metric.class, "metric"))
                .isEqualTo(c.metric);
        NdArray predictions = predictions(c, 50, new Random(6));
        NdArray targets = targets(c, 50, new Random(7));
        MetricState a = c.metric.newState();
        MetricState b = read.newState();
        a.update(predictions, targets);
        b.update(predictions, targets);
        assertThat(b.snapshot()).isEqualTo(a.snapshot());
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void wrongShapesAreNamedAndLeaveTheStateAlone(Case c) {
        Random random = new Random(8);
        MetricState state = c.metric.newState();
        state.update(predictions(c, 20, random), targets(c, 20, random));
        NdArray before = state.snapshot();
        NdArray predictions = predictions(c, 4, random);
        NdArray targets = targets(c, 6, random);
        assertThatThrownBy(() -> state.update(predictions, targets))
                .isInstanceOf(MetricException.class)
                .hasMessageStartingWith(c.metric.name() + ": ")
                .hasMessageContaining(predictions.shape().toString())
                .hasMessageContaining(targets.shape().toString());
        assertThat(state.snapshot()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("metrics")
    void statesAndSnapshotsOfOthersAreRefused(Case c) {
        MetricState other = c.metric instanceof Mae ? rmse().newState() : mae().newState();
        assertThatThrownBy(() -> c.metric.newState().merge(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(c.metric.name());
        for (NdArray foreign : List.of(NdArray.of(new long[] {1, -2, 3, 4, 5}, 5), NdArray.of(new float[] {1, 2}, 2))) {
            MetricState state = c.metric.newState();
            if (c.metric instanceof Auc && foreign.type() == DType.INT64) {
                continue; // any list that begins with a count is one of scores
            }
            assertThatThrownBy(() -> state.restore(foreign))
                    .isInstanceOf(MetricException.class)
                    .hasMessageContaining("snapshot");
        }
    }

    private static NdArray predictions(Case c, int rows, Random random) {
        Shape shape = c.predictions.prepend(rows);
        float[] values = new float[(int) shape.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(3) == 0 ? random.nextInt(3) - 1 : (float) random.nextGaussian(); // some equal
        }
        return NdArray.of(values, shape.toArray());
    }

    private static NdArray targets(Case c, int rows, Random random) {
        Shape shape = c.targets.prepend(rows);
        int size = (int) shape.size();
        if (c.targetClasses == 0) {
            double[] values = random.doubles(size)
                    .map(x -> Math.scalb(x, random.nextInt(60) - 30))
                    .toArray();
            return NdArray.of(values, shape.toArray());
        }
        return NdArray.of(random.longs(size, 0, c.targetClasses).toArray(), shape.toArray());
    }
}
