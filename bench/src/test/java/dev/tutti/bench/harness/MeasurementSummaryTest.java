package dev.tutti.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasurementSummaryTest {
    @Test
    void theMedianOfAnOddNumberIsTheMiddleOne() {
        MeasurementSummary summary = MeasurementSummary.of(List.of(9.0, 1.0, 4.0));
        assertThat(summary.median()).isEqualTo(4.0);
        assertThat(summary.min()).isEqualTo(1.0);
        assertThat(summary.max()).isEqualTo(9.0);
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
        assertThat(MeasurementSummary.of(List.of(4.0, 1.0, 2.0, 100.0)).median())
                .isEqualTo(3.0);
    }

    @Test
    void theValuesKeepTheOrderTheyWereMadeIn() {
        assertThat(MeasurementSummary.of(List.of(3.0, 1.0, 2.0)).values()).containsExactly(3.0, 1.0, 2.0);
    }

    @Test
    void nothingCannotBeSummarised() {
        assertThatThrownBy(() -> MeasurementSummary.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRatioOverOneIsBetterWhicheverWayTheUnitIsGood() {
        assertThat(Better.HIGHER.ratio(200, 100)).isEqualTo(2.0);
        assertThat(Better.LOWER.ratio(200, 100)).isEqualTo(0.5);
        assertThat(Better.LOWER.ratio(30, 60)).isEqualTo(2.0);
    }

    @Test
    void ratiosAreTakenRoundByRoundSoThatASlowRoundOfBothDoesNotShow() {
        MeasurementSummary ours = MeasurementSummary.of(List.of(200.0, 100.0, 220.0));
        MeasurementSummary theirs = MeasurementSummary.of(List.of(100.0, 50.0, 100.0));
        MeasurementSummary ratios = ours.ratioTo(theirs, Better.HIGHER);
        assertThat(ratios.min()).isEqualTo(2.0);
        assertThat(ratios.max()).isCloseTo(2.2, within(1e-12));
    }

    @Test
    void roundsMustMatch() {
        MeasurementSummary one = MeasurementSummary.of(List.of(1.0));
        MeasurementSummary two = MeasurementSummary.of(List.of(1.0, 2.0));
        assertThatThrownBy(() -> one.ratioTo(two, Better.HIGHER)).hasMessageContaining("as many rounds");
    }
}
