package dev.tutti.train.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedNumbersTest {
    @Test
    void comeBackAsTheyWere() {
        long[][] rows = {
            {}, {0}, {1}, {0, 0, 0}, {Long.MIN_VALUE, -1, Long.MAX_VALUE}, {0, 5, 0, 0, 6, 0}, {7, 0, 0, 0, 8}
        };
        PackedNumbers reader = PackedNumbers.reader(PackedNumbers.pack(rows));
        for (long[] row : rows) {
            assertThat(reader.next()).isEqualTo(row);
        }
    }

    @Test
    void alsoWhateverTheyAre() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long[] row =
                    random.longs(random.nextInt(40), 0, 1 + random.nextInt(4)).toArray();
            assertThat(PackedNumbers.reader(PackedNumbers.pack(row)).next())
                    .as("seed " + seed)
                    .isEqualTo(row);
        }
    }

    @Test
    void zerosTakeNoRoom() {
        long[] matrix = new long[1_000_000];
        matrix[123_456] = 3;
        matrix[999_998] = 4;
        assertThat(PackedNumbers.pack(matrix)).hasSizeLessThan(12);
    }

    @Test
    void whatHasNoZerosGrowsByThreeNumbersAtMost() {
        assertThat(PackedNumbers.pack(new long[] {1, 2, 3, 4, 5})).hasSize(8);
    }
}
