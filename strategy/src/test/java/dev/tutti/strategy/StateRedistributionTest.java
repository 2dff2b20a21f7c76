package dev.tutti.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.train.replica.Agreement;
import dev.tutti.train.replica.HeldState;
import dev.tutti.train.replica.StateLostException;
import dev.tutti.train.replica.StateRedistribution;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every member gets each slice from its newest holder. */
@Timeout(60)
class StateRedistributionTest {
    private static final Shape WHOLE = Shape.of(6, 4);

    /**
     * A member's part of a matrix whose elements are their version times 100 plus their place.
     *
     * @param held rows along an axis; empty for nothing
     */
    private static final class Part implements HeldState, AutoCloseable {
        private final int axis;
        private final List<Range> needed;
        private final Map<Slice, Tensor> held = new LinkedHashMap<>();
        private final Map<Slice, Tensor> room = new LinkedHashMap<>();
        private long version;
        private final long agreed;

        Part(int axis, long version, long agreed, List<Range> held, List<Range> needed) {
            this.axis = axis;
            this.version = version;
            this.agreed = agreed;
            this.needed = needed;
            held.forEach(rows -> this.held.put(slice(rows), values(slice(rows), version)));
        }

        private Slice slice(Range rows) {
            return new Slice("matrix", WHOLE, axis, rows);
        }

        @Override
        public boolean isDivided() {
            return true;
        }

        @Override
        public Map<Slice, Tensor> held() {
            return held;
        }

        @Override
        public long version() {
            return version;
        }

        @Override
        public long agreed() {
            return agreed;
        }

        @Override
        public List<Slice> needed() {
            return needed.stream().map(this::slice).toList();
        }

        @Override
        public Map<Slice, Tensor> makeRoom() {
            needed().forEach(slice -> room.put(
                    slice,
                    Tensor.zeros(slice.shape(), dev.tutti.array.DType.FLOAT32).retain()));
            return room;
        }

        @Override
        public void adopt(long now) {
            version = now;
        }

        @Override
        public void close() {
            held.values().forEach(Tensor::close);
            room.values().forEach(Tensor::close);
        }
    }

    private static Tensor values(Slice slice, long version) {
        try (Scope scope = Scope.open()) {
            Tensor all = Tensor.range(0, WHOLE.size())
                    .to(dev.tutti.array.DType.FLOAT32)
                    .add_(100 * version)
                    .view(WHOLE.toArray());
            return slice.of(all).copy().retain();
        }
    }

    private record Setting(int axis, long version, long agreed, List<Range> held, List<Range> needed) {}

    private static Range rows(long from, long to) {
        return Range.between(from, to);
    }

    /** The versions the members end with, after each was found to have what it needs. */
    private static List<Long> redistribute(Setting... settings) {
        return Members.of(settings.length).with(collectives -> {
            int rank = collectives.group().rank();
            Setting s = settings[rank];
            try (Part part = new Part(s.axis, s.version, s.agreed, s.held, s.needed)) {
                StateRedistribution.run(Agreement.over(collectives), rank, part);
                part.room.forEach((slice, tensor) -> {
                    Tensor expected = values(slice, part.version);
                    assertThat(tensor.toArray()).isEqualTo(expected.toArray());
                    expected.close();
                });
                return part.version;
            }
        });
    }

    @Test
    void slicesComeFromTheirHolders() {
        for (int axis = 0; axis < 2; axis++) {
            assertThat(redistribute(
                            new Setting(axis, 3, 3, List.of(rows(0, 2)), List.of(rows(0, 1))),
                            new Setting(axis, 3, 3, List.of(rows(2, 4)), List.of(rows(0, 4))),
                            new Setting(axis, 0, 0, List.of(), List.of(rows(1, 2), rows(3, 4)))))
                    .containsOnly(3L);
        }
    }

    @Test
    void theNewestHolderIsAsked() {
        assertThat(redistribute(
                        new Setting(0, 2, 2, List.of(rows(0, 6)), List.of(rows(0, 3))),
                        new Setting(0, 3, 3, List.of(rows(0, 3)), List.of(rows(3, 6))),
                        new Setting(0, 3, 2, List.of(rows(3, 6)), List.of(rows(0, 6)))))
                .containsOnly(3L);
    }

    @Test
    void aTwinIsEnough() {
        assertThat(redistribute(
                        new Setting(0, 5, 5, List.of(rows(0, 3)), List.of(rows(0, 2))),
                        new Setting(0, 5, 5, List.of(rows(3, 6)), List.of(rows(2, 4))),
                        new Setting(0, 5, 5, List.of(rows(3, 6)), List.of(rows(4, 6)))))
                .containsOnly(5L);
    }

    @Test
    void whatNoMemberHoldsIsSaid() {
        assertThatThrownBy(() -> redistribute(
                        new Setting(0, 5, 5, List.of(rows(0, 3)), List.of(rows(0, 3))),
                        new Setting(0, 5, 5, List.of(rows(4, 6)), List.of(rows(3, 6)))))
                .isInstanceOf(StateLostException.class)
                .hasMessageContaining("of the 24 elements of 'matrix' 4 went with members that were lost");
    }

    @Test
    void aStepThatWasCutOffIsSaid() {
        assertThatThrownBy(() -> redistribute(
                        new Setting(0, 5, 4, List.of(rows(0, 3)), List.of(rows(0, 3))),
                        new Setting(0, 4, 4, List.of(rows(3, 6)), List.of(rows(3, 6)))))
                .isInstanceOf(StateLostException.class)
                .hasMessageContaining("some members had moved their part");
    }

    @Test
    void aStateBeginsAsZeros() {
        List<Float> sums = Members.of(2).with(collectives -> {
            int rank = collectives.group().rank();
            try (Part part = new Part(0, 0, 0, List.of(), List.of(rows(3L * rank, 3L * rank + 3)));
                    Scope scope = Scope.open()) {
                StateRedistribution.run(Agreement.over(collectives), rank, part);
                return (float) part.room.values().iterator().next().abs().sum().item();
            }
        });
        assertThat(sums).containsOnly(0f);
    }
}
