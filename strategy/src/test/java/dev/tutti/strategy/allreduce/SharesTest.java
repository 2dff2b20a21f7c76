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

    @Test
    void inASmallBatchEverybodyHasARow() {
        Shares shares = new Shares(4);
        assertThat(observe(shares, 0.001, 1, 1, 0.001)).isTrue();
        long rows = 0;
        for (int rank = 0; rank < 4; rank++) {
            assertThat(shares.of(rank, 16).from()).isEqualTo(rows);
            assertThat(shares.of(rank, 16).length()).isPositive();
            rows = shares.of(rank, 16).to();
        }
        assertThat(rows).isEqualTo(16);
        assertThat(new Shares(4).of(3, 2).to()).as("fewer rows than members").isEqualTo(2);
    }

    @Test
    void theEndOfAnEpochSaysNothing() {
        Shares shares = new Shares(2);
        for (int i = 0; i < 10 * Shares.WATCHED_STEPS; i++) {
            assertThat(shares.observe(new double[] {9, 0})).isFalse();
        }
        assertThat(observe(shares, 0.001, 0.001)).isFalse();
    }

    @Test
    void aPaceThatWaversIsMentionedOnce() {
        Shares shares = new Shares(2);
        int changes = 0;
        int mentions = 0;
        for (int i = 0; i < 100; i++) {
            boolean changed = i % 2 == 0 ? observe(shares, 0.001, 0.0015) : observe(shares, 0.0015, 0.001);
            changes += changed ? 1 : 0;
            mentions += changed && shares.areWorthMentioning() ? 1 : 0;
        }
        assertThat(changes).isGreaterThan(50);
        assertThat(mentions).isEqualTo(1);
        assertThat(observe(shares, 0.001, 0.01)).isTrue();
        assertThat(shares.areWorthMentioning()).as("one is much slower now").isTrue();
    }

    private static boolean observe(Shares shares, double... secondsPerSample) {
        boolean changed = false;
        for (int i = 0; i < Shares.WATCHED_STEPS; i++) {
            changed |= shares.observe(secondsPerSample);
        }
        return changed;
    }
}
