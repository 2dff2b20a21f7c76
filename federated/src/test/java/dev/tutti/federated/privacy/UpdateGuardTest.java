package dev.tutti.federated.privacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.federated.ClientUpdate;
import org.junit.jupiter.api.Test;

class UpdateGuardTest {
    @Test
    void longUpdatesAreCutAndShortOnesLeft() {
        assertThat(UpdateGuard.bounded(new float[] {3, 4}, 1)).containsExactly(0.6f, 0.8f);
        assertThat(UpdateGuard.bounded(new float[] {0.3f, 0.4f}, 1)).containsExactly(0.3f, 0.4f);
    }

    @Test
    void theSumOfARoundHasTheNoiseOnce() {
        int size = 20_000;
        UpdateGuard guard = new UpdateGuard(new DifferentialPrivacy().clip(2).noise(0.5), 7);
        guard.begin(1);
        double squares = 0;
        double[] sum = new double[size];
        for (int client = 0; client < 4; client++) {
            ClientUpdate update = guard.protect(ClientUpdate.of("c" + client, 1, 99, new float[size]));
            assertThat(update.samples()).as("all clients count alike").isEqualTo(1);
            for (int i = 0; i < size; i++) {
                sum[i] += update.delta()[i];
            }
        }
        for (double value : sum) {
            squares += value * value;
        }
        assertThat(Math.sqrt(squares / size)).isCloseTo(0.5 * 2, within(0.02));
    }

    @Test
    void anAdaptiveBoundFollowsTheLengths() {
        UpdateGuard guard = new UpdateGuard(
                new DifferentialPrivacy().clip(10).adaptive(true).noise(0.1), 7);
        for (int round = 1; round <= 100; round++) {
            guard.begin(round);
            for (int client = 0; client < 200; client++) {
                guard.protect(ClientUpdate.of("c" + client, round, 1, client / 100f, 0)); // lengths from 0 to 2
            }
            guard.finish();
        }
        assertThat(guard.bound()).isBetween(0.7, 1.4); // the median is 1
    }

    @Test
    void whereClientsAddNoiseTheServerAddsNone() {
        UpdateGuard guard =
                new UpdateGuard(new DifferentialPrivacy().clip(1).place(DifferentialPrivacy.Place.CLIENTS), 7);
        guard.begin(1);
        assertThat(guard.protect(ClientUpdate.of("a", 1, 1, 3, 4)).delta()).containsExactly(3, 4);
    }
}
