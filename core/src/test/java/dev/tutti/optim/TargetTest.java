package dev.tutti.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.Range;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
    @Test
    void partsCoverTheRangeAndAreCutAtBlocks() {
        for (int size : new int[] {0, 5, 16, 33, 1000, 6922}) {
            try (FlatVector vector = new FlatVector(size, DType.FLOAT32, Device.CPU)) {
                Target whole = Target.all(vector, List.of());
                for (int parts = 1; parts < 6; parts++) {
                    int count = parts;
                    assertThat(whole.parts(count))
                            .hasSize(count)
                            .allMatch(range -> range.length() <= size / count + FusedUpdate.BLOCK);
                    assertThatPartsCover(whole.range(), whole.parts(count));
                }
            }
        }
    }

    @Test
    void largeParametersAreInPartsOfTheirOwn() {
        List<NamedRange> parameters = List.of(
                new NamedRange("tail", new Range(1037, 50)),
                new NamedRange("large", new Range(37, 1000)),
                new NamedRange("a part of it by another name", new Range(200, 400)),
                new NamedRange("small", new Range(0, 37)));
        try (FlatVector vector = new FlatVector(1087, DType.FLOAT32, Device.CPU)) {
            Target whole = Target.all(vector, parameters);
            List<Range> parts = whole.partsUpTo(300);
            assertThatPartsCover(whole.range(), parts);
            assertThat(parts)
                    .containsExactly(
                            Range.between(0, 48),
                            Range.between(48, 288),
                            Range.between(288, 528),
                            Range.between(528, 768),
                            Range.between(768, 1024),
                            Range.between(1024, 1087));
            assertThat(whole.partsUpTo(2000)).containsExactly(whole.range());
            Target half = whole.part(Range.between(512, 1087));
            assertThatPartsCover(half.range(), half.partsUpTo(300));
        }
        try (FlatVector nothing = new FlatVector(0, DType.FLOAT32, Device.CPU)) {
            assertThat(Target.all(nothing, List.of()).partsUpTo(300)).isEmpty();
        }
    }

    private static void assertThatPartsCover(Range whole, List<Range> parts) {
        long at = whole.from();
        for (Range part : parts) {
            assertThat(part.from()).isEqualTo(at);
            assertThat(part.from() % FusedUpdate.BLOCK).isZero();
            at = part.to();
        }
        assertThat(at).isEqualTo(whole.to());
    }

    @Test
    void segmentsAreWhatLearnsWithinTheRange() {
        try (FlatVector vector = GradientSeries.vector(100, DType.FLOAT32)) {
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
        try (FlatVector vector = GradientSeries.vector(10, DType.FLOAT32)) {
            assertThatThrownBy(() -> new Target(vector, new Range(5, 6), List.of(), List::of))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the range [5, 11) does not lie within the vector [0, 10)");
        }
    }
}
