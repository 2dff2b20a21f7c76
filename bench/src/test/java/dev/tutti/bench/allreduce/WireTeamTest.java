package dev.tutti.bench.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class WireTeamTest {
    @ParameterizedTest
    @EnumSource(WireKind.class)
    void twoJvmsSumAndTheOtherEndsWithTheFirst(WireKind wire) {
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        try (WireTeam team = new WireTeam(wire, 2)) {
            List<Long> sent = team.sum(1, 1).sent();
            WireTeam.Result result = team.sum(1000, 3);
            assertThat(result.seconds()).isPositive();
            assertThat(result.sent()).containsExactly(sent.get(0) + 12_000, sent.get(1) + 12_000);
        }
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .allMatch(before::contains);
    }

    @Test
    void copiesAreCounted() {
        try (CopyWorkload copy = new CopyWorkload(1 << 12)) {
            assertThat(copy.run(0).steps()).isEqualTo(1);
        }
    }
}
