package dev.tutti.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequiredValueTest {
    @Test
    void aTargetOfTheRatioLooksAtTheRatio() {
        assertThat(RequiredValue.ratio(1.7).met(0.1, 1.7)).isTrue();
        assertThat(RequiredValue.ratio(1.7).met(99, 1.69)).isFalse();
        assertThat(RequiredValue.ratio(5)).hasToString("5.0");
    }

    @Test
    void aTargetOfOursLooksAtOurNumber() {
        assertThat(RequiredValue.ours(0.99).met(0.991, 0.5)).isTrue();
        assertThat(RequiredValue.ours(0.99).met(0.98, 2)).isFalse();
        assertThat(RequiredValue.ours(0.99)).hasToString("ours 0.99");
    }

    @Test
    void anExactTargetIsMissedByLessAndByMore() {
        assertThat(RequiredValue.exactRatio(1).met(5, 1)).isTrue();
        assertThat(RequiredValue.exactRatio(1).met(5, 1.0000001)).isFalse();
        assertThat(RequiredValue.exactRatio(1).met(5, 0.9999999)).isFalse();
        assertThat(RequiredValue.exactRatio(1)).hasToString("exactly 1.0");
    }
}
