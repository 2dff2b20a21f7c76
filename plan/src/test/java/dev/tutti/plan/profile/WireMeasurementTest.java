package dev.tutti.plan.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.plan.WireCosts;
import org.junit.jupiter.api.Test;

class WireMeasurementTest {
    @Test
    void theSoftwareOfMessagesTakesTimeButNotMuch() {
        WireCosts costs = WireMeasurement.measure();
        assertThat(costs.secondsPerRound()).isBetween(1e-6, 0.1);
        assertThat(costs.bytesPerSecond()).isBetween(1e7, 1e11);
    }
}
