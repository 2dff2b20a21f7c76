package dev.tutti.testkit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.testkit.HardAlarm;
import dev.tutti.testkit.fault.Breakdown;
import dev.tutti.testkit.soak.Soak.Ending;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A few points of the sweep; {@code ./tutti soak --sweep} goes through all of them. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(HardAlarm.class)
class SweepTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        worker-1 stops at gradients 8 after 1000 us                 | SOUND
        worker-0 dies at gradients 9 after 3000 us                  | SOUND
        worker-0 stops at evaluation: contents 1, all are needed    | FAILED_BY_NAME
        worker-1 dies at memory for gradients 1                     | SOUND
        worker-0 stops at readers of gradients 10                   | SOUND
        worker-0 stops at the end 1                                 | SOUND
        worker-0 dies at gradients 8 after 1000 us, which drives the others | FAILED_BY_NAME
        worker-0 stops at gradients 8 after 1000 us, which drives the others | FAILED_BY_NAME
        server-0 dies at parameters.store 8 after 1000 us           | SOUND
        server-0 stops at parameters.commit 9                       | SOUND
        """)
    void nobodyWaitsForOneWhoBrokeDown(String point, Ending ending) {
        Sweep.Run run = Sweep.runs().stream()
                .filter(each -> each.toString().endsWith(": " + point))
                .findFirst()
                .orElseThrow();
        Soak.Line line = Soak.run(run);
        assertThat(line.ending()).as(line.toString()).isEqualTo(ending);
    }

    @Test
    void thePointsGoFromTheStartToTheEnd() {
        List<Sweep.Run> runs = Sweep.runs();
        assertThat(runs).hasSize(146);
        for (String where : List.of(
                Breakdown.START,
                Breakdown.MEETING,
                Breakdown.MET,
                "memory for gradients",
                "gradients",
                "readers of gradients",
                "tally",
                "evaluation: contents",
                Breakdown.CHECKPOINT,
                "metrics",
                "the end",
                Breakdown.LEAVING)) {
            for (boolean kill : new boolean[] {true, false}) {
                assertThat(runs)
                        .anyMatch(run -> run.breakdown().where().equals(where)
                                && run.breakdown().kill() == kill
                                && run.breakdown().member().equals("worker-0"));
            }
        }
    }
}
