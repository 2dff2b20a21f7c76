package dev.tutti.strategy.parallel.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class DistributedProductParallelTest {
    private static final int ROWS = 12;
    private static final int INNER = 14;
    private static final int COLUMNS = 9;

    private static float[] values(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static Tensor a() {
        return Tensor.of(values(ROWS * INNER, 1), ROWS, INNER);
    }

    private static Tensor b() {
        return Tensor.of(values(INNER * COLUMNS, 2), INNER, COLUMNS);
    }

    private static NdArray expected() {
        try (Scope scope = Scope.open()) {
            return a().matmul(b()).toArray();
        }
    }

    private static void assertClose(NdArray actual, NdArray expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.at(i)).isCloseTo(expected.at(i), within(1e-4));
        }
    }

    @Test
    void columnsByRowsEqualTheProduct() {
        List<NdArray> products = Members.of(3).with(members -> {
            try (Scope scope = Scope.open()) {
                Range own = members.group().part(INNER);
                return DistributedProduct.columnsByRows(
                                members,
                                a().narrow(1, own.from(), own.length()),
                                b().narrow(0, own.from(), own.length()))
                        .toArray();
            }
        });
        products.forEach(product -> assertClose(product, expected()));
    }

    @Test
    void rowsOfTheProductStayWithTheirMembers() {
        List<NdArray> parts = Members.of(3).with(members -> {
            try (Scope scope = Scope.open()) {
                Range own = members.group().part(INNER);
                return DistributedProduct.columnsByRowsDistributed(
                                members,
                                a().narrow(1, own.from(), own.length()),
                                b().narrow(0, own.from(), own.length()))
                        .toArray();
            }
        });
        NdArray whole = expected();
        for (int rank = 0; rank < 3; rank++) {
            for (int i = 0; i < 4 * COLUMNS; i++) {
                assertThat(parts.get(rank).at(i)).isCloseTo(whole.at(rank * 4 * COLUMNS + i), within(1e-4));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,2", "1,3", "3,2"})
    void blocksOnAGridEqualTheProduct(int gridRows, int gridColumns) {
        var blocks = new TestingCluster(gridRows * gridColumns).run(place -> {
            try (Team team = place.assemble(null);
                    Scope scope = Scope.open()) {
                team.meet(0);
                int row = team.group().rank() / gridColumns;
                int column = team.group().rank() % gridColumns;
                Range rows = new Range(0, ROWS).part(row, gridRows);
                Range columns = new Range(0, COLUMNS).part(column, gridColumns);
                Range ofA = new Range(0, INNER).part(column, gridColumns);
                Range ofB = new Range(0, INNER).part(row, gridRows);
                Tensor block = DistributedProduct.summa(
                        team,
                        gridRows,
                        gridColumns,
                        INNER,
                        a().narrow(0, rows.from(), rows.length()).narrow(1, ofA.from(), ofA.length()),
                        b().narrow(0, ofB.from(), ofB.length()).narrow(1, columns.from(), columns.length()));
                Tensor expected = Tensor.of(expected())
                        .narrow(0, rows.from(), rows.length())
                        .narrow(1, columns.from(), columns.length());
                assertClose(block.toArray(), expected.contiguous().toArray());
                team.done();
                return true;
            }
        });
        assertThat(blocks).hasSize(gridRows * gridColumns);
    }
}
