package dev.tutti.strategy.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharesTest {
    @Test
    void theSlowGetLess() {
        Shares shares = new Shares(2);
        assertThat(observe(shares, 0.001, 0.003)).isTrue();
        assertThat(shares.of(0, 48).length()).isEqualTo(36);
        assertThat(shares.of(1, 48).length()).isEqualTo(12);
    }

    @Test
    void whoIsStoppedMostOfTheTimeStillGetsSomethingAndCanRecover() {
        Shares shares = new Shares(3);
        assertThat(observe(shares, 0.001, 1, 0.001)).isTrue();
        assertThat(shares.of(1, 48).length()).isPositive();
        assertThat(observe(shares, 0.001, 0.001, 0.001)).isTrue();
        assertThat(shares.of(1, 48).length()).isEqualTo(16);
    }

    @Test
    void smallDifferencesAreNotWorthIt() {
        assertThat(observe(new Shares(2), 0.0010, 0.0011)).isFalse();
    }

    private static boolean observe(Shares shares, double... secondsPerSample) {
        boolean changed = false;
        for (int i = 0; i < Shares.WATCHED_STEPS; i++) {
            changed |= shares.observe(secondsPerSample);
        }
        return changed;
    }
}
