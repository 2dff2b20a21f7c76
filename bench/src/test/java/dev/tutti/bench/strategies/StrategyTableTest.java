package dev.tutti.bench.strategies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.bench.harness.Machine;
import dev.tutti.bench.harness.MeasurementSummary;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StrategyTableTest {
    @Test
    void strategiesAreComparedWithThePlainOneOfAsManyMembers() {
        String page = table(
                        row("local", 1, 0, 9, 0.97),
                        row("all-reduce", 2, 4e6, 5, 0.98),
                        row("all-reduce, fp16", 2, 2e6, 4, 0.979))
                .page();
        assertThat(page)
                .contains("| local            | 1       | 0.00 MB          | -        | 9.0     | 1.000    | 0.9700 ")
                .contains("| all-reduce, fp16 | 2       | 2.00 MB          | 0.500    | 4.0     | 0.800    | 0.9790 ");
    }

    @Test
    void oneThatFailedIsNamedAndTheOthersStay() {
        StrategyRow failed =
                new StrategyRow("all-reduce", "{type: allReduce}", 2, null, null, null, "unknown strategy");
        StrategyTable table = table(failed, row("averaging", 2, 1e6, 4, 0.97));
        assertThat(table.failures()).containsExactly("all-reduce, 2 members: unknown strategy");
        assertThat(table.page())
                .contains("- all-reduce, 2 members: unknown strategy")
                .contains("| averaging  | 2       | 1.00 MB          | -        |");
    }

    @Test
    void aPartThatNoStrategyHasIsRefused() {
        assertThatThrownBy(() -> new StrategyStudy(true, "gossip"))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("contains 'gossip'")
                .hasMessageContaining("all-reduce, fp16, 4 members");
    }

    private static StrategyTable table(StrategyRow... rows) {
        return new StrategyTable("", "./tutti", "", true, 1, Machine.here(), Map.of(), List.of(rows));
    }

    private static StrategyRow row(String name, int members, double bytes, double seconds, double accuracy) {
        return new StrategyRow(
                name,
                "{}",
                members,
                MeasurementSummary.of(List.of(bytes)),
                MeasurementSummary.of(List.of(seconds)),
                MeasurementSummary.of(List.of(accuracy)),
                null);
    }
}
