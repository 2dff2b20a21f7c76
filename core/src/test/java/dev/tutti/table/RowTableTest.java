package dev.tutti.table;

import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.optim.Optimizers.sgd;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.optim.Optimizer;
import dev.tutti.table.FirstValues.Distribution;
import dev.tutti.tensor.Scope;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RowTableTest {
    private static final TableSpec SPEC = new TableSpec("users", 5, new FirstValues(Distribution.NORMAL, 0.5), 7);

    private static RowGradients.Part ones(long... ids) {
        float[] values = new float[ids.length * SPEC.width()];
        Arrays.fill(values, 1);
        return new RowGradients.Part(ids, values);
    }

    @Test
    void rowsAreTheSameInWhateverOrderTheyAreMade() {
        try (RowTable forth = new RowTable(SPEC);
                RowTable back = new RowTable(SPEC);
                TableUpdate moves = new TableUpdate(sgd(0.1), forth, List.of());
                TableUpdate others = new TableUpdate(sgd(0.1), back, List.of())) {
            long[] ids = LongStream.range(-3000, 3000).map(i -> i * 7919).toArray();
            for (long id : ids) {
                moves.apply(ones(id), 0.1);
            }
            others.apply(
                    ones(LongStream.range(0, 6000).map(i -> ids[5999 - (int) i]).toArray()), 0.1);
            assertThat(forth.read(ids)).isEqualTo(back.read(ids));
            assertThat(forth.size()).isEqualTo(6000);
        }
    }

    @Test
    void readingMakesNoRowsAndFirstValuesHaveTheirDeviation() {
        try (RowTable table = new RowTable(SPEC)) {
            float[] rows = table.read(LongStream.range(0, 4000).toArray());
            double squares = 0;
            for (float value : rows) {
                squares += value * value;
            }
            assertThat(Math.sqrt(squares / rows.length)).isBetween(0.49, 0.51);
            assertThat(table.size()).isZero();
        }
    }

    /** A row that is pushed alone and one that is pushed among many move by the same bits. */
    @Test
    void aRowMovesByItselfWhateverItIsPushedWith() {
        Optimizer optimizer = adam(0.01);
        try (RowTable alone = new RowTable(SPEC);
                RowTable among = new RowTable(SPEC);
                TableUpdate first = new TableUpdate(optimizer, alone, List.of());
                TableUpdate second = new TableUpdate(optimizer, among, List.of())) {
            for (int i = 0; i < 5; i++) {
                first.apply(ones(42), 0.01);
                second.apply(ones(LongStream.range(0, 9001).map(id -> 9000 - id).toArray()), 0.01);
            }
            assertThat(alone.read(new long[] {42})).isEqualTo(among.read(new long[] {42}));
        }
    }

    @Test
    void rowsAreDroppedByAgeAndByFrequencyAndBeginAnew() {
        try (RowTable table = new RowTable(SPEC);
                TableUpdate update = new TableUpdate(adam(0.01), table, List.of())) {
            float[] before = table.read(new long[] {1, 2, 3});
            update.apply(ones(1), 0.1);
            update.apply(ones(2, 3), 0.1);
            update.apply(ones(2, 3), 0.1);
            update.apply(ones(2), 0.1);
            float[] two = table.read(new long[] {2});
            assertThat(table.drop(3, 0)).as("those not changed by the last 3").isEqualTo(1);
            assertThat(table.drop(0, 3)).as("those changed fewer than 3 times").isEqualTo(1);
            assertThat(table.ids()).containsExactly(2);
            assertThat(table.read(new long[] {2})).isEqualTo(two);
            assertThat(Arrays.copyOfRange(table.read(new long[] {1, 2, 3}), 0, 5))
                    .isEqualTo(Arrays.copyOfRange(before, 0, 5));
            update.apply(ones(3), 0.1);
            assertThat(table.size()).isEqualTo(2);
        }
    }

    @Test
    void aCopyGoesOnWithTheSameBits() {
        try (TableStore one = new TableStore(List.of(SPEC));
                TableStore other = new TableStore(List.of(SPEC))) {
            one.bind(adam(0.01), List.of());
            other.bind(adam(0.01), List.of());
            RowGradients gradients = new RowGradients();
            gradients.add("users", 5, new long[] {4, 9}, ones(4, 9).values());
            one.apply(gradients, 0.1);
            try (Scope scope = Scope.open()) {
                other.restore("users", one.state("users"));
            }
            gradients.add("users", 5, new long[] {9, 11}, ones(9, 11).values());
            one.apply(gradients, 0.1);
            other.apply(gradients, 0.1);
            long[] ids = {4, 9, 11, 12};
            assertThat(other.table("users").read(ids))
                    .isEqualTo(one.table("users").read(ids));
        }
    }

    /** What finds a row takes little beside the row. */
    @Test
    void aTableTakesLittleMoreThanItsData() {
        try (RowTable table = new RowTable(new TableSpec("wide", 64, new FirstValues(Distribution.CONSTANT, 0), 0));
                TableUpdate update = new TableUpdate(sgd(0.1), table, List.of())) {
            long[] ids = LongStream.range(0, 50_000).toArray();
            update.apply(new RowGradients.Part(ids, new float[ids.length * 64]), 0.1);
            assertThat(table.bytes()).isBetween(50_000L * 256, (long) (1.2 * 50_000 * 256));
        }
    }
}
