package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LinkShapeTest {
    @Test
    void aBandwidthNeedsABucketAndAllElseNetem() {
        assertThat(LinkShape.megabits(100).discipline())
                .containsExactly("tbf", "rate", "100.000mbit", "burst", "131072", "latency", "200ms");
        assertThat(LinkShape.megabits(100).delay(1).loss(0.5).reorder(2).discipline())
                .containsExactly(
                        "netem", "delay", "1.000ms", "loss", "0.500%", "reorder", "2.000%", "rate", "100.000mbit");
        assertThatThrownBy(() -> LinkShape.megabits(1).reorder(1)).hasMessageContaining("a delay");
    }
}
