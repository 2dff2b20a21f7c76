package dev.tutti.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.TuttiException;
import org.junit.jupiter.api.Test;

class PlanTextsTest {
    @Test
    void networksAreReadInBitsAndWrittenBack() {
        assertThat(NetworkSpec.parse("10Gbit/0.1ms")).isEqualTo(new NetworkSpec(1.25e9, 1e-4));
        assertThat(NetworkSpec.parse("100Mbit/20ms")).isEqualTo(new NetworkSpec(12.5e6, 0.02));
        assertThat(NetworkSpec.parse("100Mbit/20ms")).hasToString("100Mbit/20ms");
        assertThat(NetworkSpec.parse("2.5Gbit/50us")).hasToString("2.5Gbit/0.05ms");
        assertThatThrownBy(() -> NetworkSpec.parse("10GB"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("such as 10Gbit/0.1ms, received '10GB'");
    }

    @Test
    void rangesOfNodesAreDoubled() {
        assertThat(NodeCounts.parse("1,2,8,64,1000")).containsExactly(1, 2, 8, 64, 1000);
        assertThat(NodeCounts.parse("2..20")).containsExactly(2, 4, 8, 16, 20);
        assertThat(NodeCounts.parse("8, 1..4")).containsExactly(1, 2, 4, 8);
        assertThatThrownBy(() -> NodeCounts.parse("0,2")).hasMessageContaining("received '0,2'");
        assertThatThrownBy(() -> NodeCounts.parse("4..2")).isInstanceOf(TuttiException.class);
    }

    @Test
    void ratesAreThoseOfOneNode() {
        assertThat(FailureRate.parse("1%/min").perSecond()).isEqualTo(0.01 / 60, within(1e-12));
        assertThat(FailureRate.parse("2/year").meanTimeBetween(1000)).isEqualTo(365 * 86.4 / 2, within(1e-6));
        assertThatThrownBy(() -> FailureRate.parse("often")).hasMessageContaining("received 'often'");
    }

    @Test
    void checkpointIntervalsFollowYoungAndDaly() {
        // A checkpoint of 5 s and a failure every 1000 s: sqrt(2 * 5 * 1000) = 100 s.
        assertThat(CheckpointInterval.young(5, 1000)).isEqualTo(100, within(1e-9));
        // 100 * (1 + sqrt(0.0025) / 3 + 0.0025 / 9) - 5 = 96.69 s.
        assertThat(CheckpointInterval.daly(5, 1000)).isEqualTo(96.6944, within(1e-3));
        assertThat(CheckpointInterval.daly(100, 40)).isEqualTo(40);
    }

    @Test
    void aCurveIsALineBetweenItsPointsAndGoesOnBehindThem() {
        RowCurve curve = new RowCurve(
                java.util.List.of(new RowCurve.Point(1, 2), new RowCurve.Point(5, 4), new RowCurve.Point(9, 12)));
        assertThat(curve.seconds(0)).isZero();
        assertThat(curve.seconds(1)).isEqualTo(2);
        assertThat(curve.seconds(3)).isEqualTo(3);
        assertThat(curve.seconds(7)).isEqualTo(8);
        assertThat(curve.seconds(10)).isEqualTo(14);
    }
}
