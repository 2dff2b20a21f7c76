package dev.tutti.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.tensor.DType;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.FlatVector;
import dev.tutti.tensor.FusedUpdate;
import dev.tutti.tensor.Range;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TargetTest {
    @Test
    void partsCoverTheRangeAndAreCutAtBlocks() {
        for (int size : new int[] {0, 5, 16, 33, 1000, 6922}) {
            try (FlatVector vector = new FlatVector(size, DType.FLOAT32, Device.CPU)) {
                Target whole = Target.all(vector, List.of());
                for (int parts = 1; parts < 6; parts++) {
                    int count = parts;
                    List<Range> ranges = IntStream.range(0, count)
                            .mapToObj(i -> whole.part(i, count).range())
                            .toList();
                    long at = 0;
                    for (Range range : ranges) {
                        assertThat(range.from()).isEqualTo(at);
                        assertThat(range.from() % FusedUpdate.BLOCK).isZero();
                        assertThat(range.length()).isLessThanOrEqualTo(size / count + FusedUpdate.BLOCK);
                        at = range.to();
                    }
                    assertThat(at).isEqualTo(size);
                }
            }
        }
    }

    @Test
    void segmentsAreWhatLearnsWithinTheRange() {
        try (FlatVector vector = Course.vector(100, DType.FLOAT32)) {
            List<Range> trainable = List.of(Range.between(10, 30), Range.between(60, 100));
            Target target = new Target(vector, Range.between(20, 60), List.of(), () -> trainable);
            assertThat(target.segments()).containsExactly(Range.between(20, 30));
        }
    }

    @Test
    void blocksKeepTheirPlaceInTheVector() {
        assertThat(FusedUpdate.blocks(List.of(Range.between(0, 50)), 0))
                .containsExactly(Range.between(0, 48), Range.between(48, 50));
        assertThat(FusedUpdate.blocks(List.of(Range.between(0, 50)), 10))
                .containsExactly(Range.between(0, 6), Range.between(6, 38), Range.between(38, 50));
        assertThat(FusedUpdate.blocks(List.of(Range.between(3, 7)), 0)).containsExactly(Range.between(3, 7));
        assertThat(FusedUpdate.blocks(List.of(Range.between(10, 20)), 0))
                .containsExactly(Range.between(10, 16), Range.between(16, 20));
    }

    @Test
    void theRangeLiesWithinTheVector() {
        try (FlatVector vector = Course.vector(10, DType.FLOAT32)) {
            assertThatThrownBy(() -> new Target(vector, new Range(5, 6), List.of(), List::of))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the range [5, 11) does not lie within the vector [0, 10)");
        }
    }
}
