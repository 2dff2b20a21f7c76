package dev.tutti.strategy.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.Range;
import dev.tutti.comm.Team;
import dev.tutti.comm.Traffic;
import dev.tutti.strategy.TestingCluster;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Four members, two tasks: the trunk is summed by all, each head by the two members of its task. Grids sum through it. */
@Timeout(60)
class GroupedSumTest {
    private static final List<Integer> ALL = List.of(0, 1, 2, 3);
    private static final List<GroupedSum.Part> PARTS = List.of(
            new GroupedSum.Part(new Range(0, 4), ALL),
            new GroupedSum.Part(new Range(4, 2), List.of(0, 2)),
            new GroupedSum.Part(new Range(6, 2), List.of(1, 3)),
            new GroupedSum.Part(new Range(8, 2), ALL), // the trunk has two ranges
            new GroupedSum.Part(new Range(10, 1), List.of(3)));

    /** What a member has after the sum, and how many bytes it sent for it. */
    private record Summed(List<Double> values, long bytes) {}

    private static Map<String, Summed> run(List<Range> learning) {
        return new TestingCluster(4).run(place -> {
            try (Team team = place.assemble(null);
                    Scope scope = Scope.open()) {
                team.meet(0);
                int rank = team.group().rank();
                GroupedSum sum = new GroupedSum(team, PARTS);
                Tensor gradients = Tensor.of(new double[] {1, 10, 100, 1000, 1, 10, 1, 10, 5, 6, 7}, 11)
                        .mul(Math.pow(2, rank));
                sum.sum(gradients, learning);
                Traffic before = team.collectives().traffic();
                sum.sum(gradients.mul(0), learning);
                List<Double> values = new ArrayList<>();
                for (double value : gradients.toArray().doubles()) {
                    values.add(value);
                }
                return new Summed(
                        values, team.collectives().traffic().since(before).sent());
            }
        });
    }

    @Test
    void eachRangeIsSummedByItsMembers() {
        Map<String, Summed> all = run(List.of(new Range(0, 11)));
        for (int rank = 0; rank < 4; rank++) {
            double own = Math.pow(2, rank);
            double even = rank % 2 == 0 ? 1 + 4 : own; // of the others' head a member has what it had
            double odd = rank % 2 == 1 ? 2 + 8 : own;
            assertThat(all.get("worker-" + rank).values())
                    .containsExactly(15.0, 150.0, 1500.0, 15000.0, even, 10 * even, odd, 10 * odd, 75.0, 90.0, 7 * own);
        }
    }

    @Test
    void whatIsFrozenStaysBehind() {
        Map<String, Summed> some = run(List.of(new Range(2, 3), new Range(6, 5)));
        for (int rank = 0; rank < 4; rank++) {
            double own = Math.pow(2, rank);
            double even = rank % 2 == 0 ? 1 + 4 : own;
            double odd = rank % 2 == 1 ? 2 + 8 : own;
            assertThat(some.get("worker-" + rank).values())
                    .containsExactly(
                            own, 10 * own, 1500.0, 15000.0, even, 10 * own, odd, 10 * odd, 75.0, 90.0, 7 * own);
        }
        assertThat(some.get("worker-0").bytes())
                .isLessThan(run(List.of(new Range(0, 11))).get("worker-0").bytes());
    }
}
