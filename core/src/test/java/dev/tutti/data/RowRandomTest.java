package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RowRandomTest {
    private static final int DRAWS = 100_000;

    private final RowRandom random = new RowRandom(11);

    @Test
    void boundedNumbersAreEvenlySpread() {
        int[] counts = new int[7];
        for (int i = 0; i < DRAWS; i++) {
            counts[random.nextInt(7)]++;
        }
        for (int count : counts) {
            assertThat(count).isCloseTo(DRAWS / 7, within(600));
        }
        assertThat(random.nextInt(-3, -2)).isEqualTo(-3);
        assertThatThrownBy(() -> random.nextInt(0)).hasMessage("the bound must be above 0: received 0");
    }

    @Test
    void fractionsAndGaussiansHaveTheirMoments() {
        double sum = 0;
        double floats = 0;
        double gaussians = 0;
        double squares = 0;
        int heads = 0;
        for (int i = 0; i < DRAWS; i++) {
            double gaussian = random.nextGaussian();
            sum += random.nextDouble();
            floats += random.nextFloat();
            gaussians += gaussian;
            squares += gaussian * gaussian;
            heads += random.nextBoolean() ? 1 : 0;
        }
        assertThat(sum / DRAWS).isCloseTo(0.5, within(0.005));
        assertThat(floats / DRAWS).isCloseTo(0.5, within(0.005));
        assertThat(gaussians / DRAWS).isCloseTo(0, within(0.015));
        assertThat(squares / DRAWS).isCloseTo(1, within(0.02));
        assertThat(heads).isCloseTo(DRAWS / 2, within(800));
    }

    @Test
    void seedsOfNeighboursHaveNothingInCommon() {
        assertThat(RowRandom.seed(1, 2)).isNotEqualTo(RowRandom.seed(2, 1));
        assertThat(RowRandom.seed(0, 0)).isNotEqualTo(RowRandom.seed(0, 0, 0));
        assertThat(Long.bitCount(RowRandom.seed(7, 1) ^ RowRandom.seed(7, 2))).isBetween(16, 48);
    }
}
