package dev.tutti.plan.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.plan.FailureRate;
import dev.tutti.plan.NetworkSpec;
import org.junit.jupiter.api.Test;

class ClusterSimulationTest {
    private static final NetworkSpec NETWORK = NetworkSpec.parse("10Gbit/0.1ms");

    private static SimulationSettings settings(int nodes, FailureRate rate, double seconds) {
        return new SimulationSettings(nodes, rate, 10, 0, 1, 0.05, true, 100, seconds, NETWORK, 7);
    }

    @Test
    void withoutFailuresThereIsOneGroupAndNoStepIsRepeated() {
        ClusterSimulationResult result = new ClusterSimulation(settings(100, FailureRate.NONE, 30)).run();
        assertThat(result.joined()).isEqualTo(100);
        assertThat(result.lost()).isZero();
        assertThat(result.generations()).isEqualTo(1);
        assertThat(result.firstGroupSeconds()).isBetween(4.5, 5.2);
        assertThat(result.repeatedSteps()).isZero();
        assertThat(result.steps()).isCloseTo(Math.round((30 - result.firstGroupSeconds()) / 0.05), within(2L));
        assertThat(result.finishedAtSeconds()).isEqualTo(result.firstGroupSeconds() + 5, within(0.1));
        // Two heartbeats a second of each for about 27 seconds.
        assertThat(result.messages().get("Heartbeat")).isBetween(5_000L, 6_000L);
    }

    @Test
    void lostMembersAreReplacedAndTheRestGoesOn() {
        ClusterSimulationResult result = new ClusterSimulation(settings(50, new FailureRate(0.1 / 60), 120)).run();
        assertThat(result.lost()).isBetween(3L, 25L);
        assertThat(result.joined()).isGreaterThan(50);
        assertThat(result.generations()).isGreaterThan(result.lost());
        assertThat(result.steps()).isGreaterThan(100);
        assertThat(result.longestPauseSeconds()).isBetween(0.5, 40.0);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        ClusterSimulationResult one = new ClusterSimulation(settings(30, new FailureRate(0.01), 30)).run();
        ClusterSimulationResult other = new ClusterSimulation(settings(30, new FailureRate(0.01), 30)).run();
        assertThat(other.messages()).isEqualTo(one.messages());
        assertThat(other.steps()).isEqualTo(one.steps());
    }

    @Test
    void twoThousandMembersAreHeldByAFractionOfACore() {
        ClusterSimulationResult result = new ClusterSimulation(settings(2_000, FailureRate.parse("1%/min"), 30)).run();
        assertThat(result.joined()).isGreaterThanOrEqualTo(2_000);
        assertThat(result.coordinatorCores()).isLessThan(1);
        assertThat(result.coordinatorBytes()).isLessThan(200_000_000);
    }
}
