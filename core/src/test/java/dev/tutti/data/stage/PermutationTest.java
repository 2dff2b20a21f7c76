package dev.tutti.data.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.data.RowRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermutationTest {
    private static List<Long> order(long size, long seed) {
        Permutation order = new Permutation(size, seed);
        return LongStream.range(0, size).map(order::at).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 10, 255, 256, 257, 1025, 5000, 65537})
    void holdsEachNumberOnce(long size) {
        assertThat(order(size, 42).stream().sorted().toList())
                .isEqualTo(LongStream.range(0, size).boxed().toList());
    }

    @Test
    void worksForMoreRowsThanAnyMemoryHolds() {
        Permutation order = new Permutation(1L << 50, 1);
        assertThat(LongStream.range(0, 1000).map(order::at).distinct().count()).isEqualTo(1000);
        assertThatThrownBy(() -> order.at(1L << 50)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** Written down, because positions in saved runs rest on it. */
    @Test
    void isTheSameInEveryRelease() {
        assertThat(order(10, 7)).hasToString("[7, 1, 9, 6, 3, 4, 5, 2, 8, 0]");
        assertThat(new Permutation(1_000_000_007L, 7).at(123_456_789)).isEqualTo(729511120);
        assertThat(RowRandom.seed(1, 2, 3)).isEqualTo(6340852410436237207L);
        assertThat(new RowRandom(0).nextLong()).isEqualTo(0xE220A8397B1DCDAFL);
    }

    /** All 24 orders of 4 rows must come up about equally often: 500 times in 12,000, give or take 4 deviations. */
    @Test
    void favoursNoOrder() {
        Map<List<Long>, Integer> counts = new HashMap<>();
        for (int seed = 0; seed < 12_000; seed++) {
            counts.merge(order(4, RowRandom.seed(5, seed)), 1, Integer::sum);
        }
        assertThat(counts).hasSize(24);
        assertThat(counts.values()).allMatch(count -> Math.abs(count - 500) < 88);
    }

    /** Neighbours must not stay together: in 10,000 rows about 2 neighbours are still neighbours by chance. */
    @Test
    void tearsNeighboursApart() {
        List<Long> order = order(10_000, 3);
        long together = LongStream.range(1, order.size())
                .filter(i -> Math.abs(order.get((int) i) - order.get((int) i - 1)) == 1)
                .count();
        assertThat(together).isLessThan(10);
    }
}
