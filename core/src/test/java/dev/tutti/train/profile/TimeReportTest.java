package dev.tutti.train.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimeReportTest {
    @Test
    void theWire() {
        assertThat(limit(member(0, 50, 4, 41, 2, 3), member(1, 50, 4, 41, 2, 3)))
                .isEqualTo("wire 41% of the step, 2.0 MB sent by each member: try compression or averaging");
    }

    @Test
    void feeding() {
        assertThat(limit(member(0, 65, 0, 0, 30, 5))).isEqualTo("feeding 30% of the step: prefetch or cache the data");
    }

    @Test
    void aSlowMember() {
        assertThat(limit(member(0, 50, 38, 5, 2, 5), member(1, 50, 37, 6, 2, 5), member(2, 91.6, 0, 3, 2, 3.4)))
                .isEqualTo("waiting 25% of the step: worker-2 is 1.8 times slower");
    }

    @Test
    void aMemberThatWaitsForItsData() {
        assertThat(limit(member(0, 20, 70, 5, 0, 5), member(1, 20, 0, 5, 70, 5)))
                .isEqualTo("waiting 35% of the step: worker-1 is 4.5 times slower, for it waits for its data");
    }

    @Test
    void waitingInTurn() {
        assertThat(limit(member(0, 60, 30, 5, 0, 5), member(1, 60, 30, 5, 0, 5)))
                .startsWith("waiting 30% of the step: no member is slower than the others by much");
    }

    @Test
    void theUpdate() {
        assertThat(limit(member(0, 70, 0, 0, 2, 28)))
                .isEqualTo("update 28% of the step: larger batches need fewer updates");
        assertThat(limit(member(0, 70, 0, 1, 1, 28), member(1, 70, 0, 1, 1, 28)))
                .endsWith("fewer updates, and sharded optimizer state divides them");
    }

    @Test
    void computing() {
        assertThat(limit(member(0, 97, 1, 1, 0, 1), member(1, 97, 1, 1, 0, 1)))
                .isEqualTo("compute 97% of the step: nothing to gain from the wire");
        assertThat(limit(member(0, 98, 0, 0, 1, 1))).isEqualTo("compute 98% of the step: nothing to gain from feeding");
    }

    @Test
    void whatIsNoStep() {
        MemberTime busyElsewhere = new MemberTime("worker-0", 10, 100, 97, 0, 0, 1, 2, 200, 0, 0);
        assertThat(new TimeReport(List.of(busyElsewhere)).limit())
                .endsWith("; 50% of the run was no step: validation, checkpoints, callbacks");
        assertThat(limit(member(0, 0, 0, 0, 0, 0))).isEqualTo("no step was done");
        assertThat(new TimeReport(List.of()).limit()).isEqualTo("no step was done");
    }

    @Test
    void theTableHasARowForEachMember() {
        String table = new TimeReport(List.of(member(0, 50, 4, 41, 2, 3), member(1, 5, 4, 41, 2, 3))).toString();
        assertThat(table.lines()).hasSize(3);
        assertThat(table.lines().map(String::length).distinct()).hasSize(1);
        assertThat(table).contains("worker-0    50.0 s    4.00 s    41.0 s    2.00 s    3.00 s    0.00 s    200 MB");
    }

    private static String limit(MemberTime... members) {
        return new TimeReport(List.of(members)).limit();
    }

    private static MemberTime member(
            int rank, double compute, double waiting, double wire, double feeding, double update) {
        double all = compute + waiting + wire + feeding + update;
        return new MemberTime(
                "worker-" + rank, 100, 6400, compute, waiting, wire, feeding, update, all, 200_000_000, 200_000_000);
    }
}
