package dev.tutti.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.train.replica.Agreement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the loop asks of all members, on members that are threads: one alone, and several. */
@Timeout(60)
class AgreementTest {
    private record Asker(Agreement all, int rank) {}

    private static void onEach(int members, Consumer<Asker> questions) {
        Map<String, Boolean> asked = new TestingCluster(members).run(place -> {
            try (Team team = place.assemble(null)) {
                team.meet(0);
                Agreement all = Agreement.over(team);
                questions.accept(new Asker(all, team.group().rank()));
                all.barrier("the end"); // a member that leaves is lost to those who still ask
                return true;
            }
        });
        assertThat(asked).hasSize(members);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void oneYesIsEnough(int members) {
        onEach(members, me -> {
            boolean last = me.rank == members - 1;
            assertThat(me.all.members()).isEqualTo(members);
            assertThat(me.all.any("votes", last, false, true)).containsExactly(true, false, true);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aTextIsThatOfItsSourceWhichAloneIsAsked(int members) {
        onEach(members, me -> {
            String text = me.all.text("a text", () -> "of member " + me.rank, members - 1);
            assertThat(text).isEqualTo("of member " + (members - 1));
            assertThat(me.all.text("nothing", () -> "", 0)).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void numbersComeByRankInAnyLength(int members) {
        onEach(members, me -> {
            double[][] rows = me.all.rows("rows", me.rank, 0.1);
            List<long[]> numbers = me.all.numbers("numbers", new long[30 * me.rank]);
            assertThat(rows).hasDimensions(members, 2);
            for (int rank = 0; rank < members; rank++) {
                assertThat(rows[rank]).containsExactly(rank, 0.1);
                assertThat(numbers.get(rank)).hasSize(30 * rank);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void arraysComeByRank(int members) {
        onEach(members, me -> {
            List<Map<String, NdArray>> all =
                    me.all.arrays("arrays", Map.of("a" + me.rank, NdArray.of(new long[] {me.rank}, 1)));
            for (int rank = 0; rank < members; rank++) {
                assertThat(all.get(rank)).isEqualTo(Map.of("a" + rank, NdArray.of(new long[] {rank}, 1)));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void onlyTheChiefCollects(int members) {
        int[] lengths = {2, 3, 0, 1};
        onEach(members, me -> {
            long[] mine = new long[lengths[me.rank]];
            Arrays.fill(mine, me.rank);
            Map<Integer, long[]> collected = me.all.collect("timeline", mine, lengths);
            if (me.rank > 0 || members == 1) {
                assertThat(collected).isEmpty();
            } else {
                assertThat(collected).containsOnlyKeys(1, 3);
                assertThat(collected.get(1)).containsExactly(1, 1, 1);
                assertThat(collected.get(3)).containsExactly(3);
            }
        });
    }
}
