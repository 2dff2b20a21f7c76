package dev.tutti.strategy.parallel.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTableTest {
    private static String row(PipelineSchedule schedule, int stages, int chunks, int microBatches, int stage) {
        List<String> slots = ScheduleTable.of(schedule, stages, chunks, microBatches).of(stage).stream()
                .map(Object::toString)
                .toList();
        return String.join(" ", slots);
    }

    @Test
    void gpipeRunsAllForwardFirst() {
        assertThat(row(PipelineSchedule.GPIPE, 2, 1, 3, 0)).isEqualTo("F0 F1 F2 B0 B1 B2");
        assertThat(row(PipelineSchedule.GPIPE, 2, 1, 3, 1)).isEqualTo("F0 F1 F2 B0 B1 B2");
    }

    @Test
    void oneForwardOneBackwardRunsAheadByTheStagesBehind() {
        assertThat(row(PipelineSchedule.ONE_F_ONE_B, 3, 1, 4, 0)).isEqualTo("F0 F1 F2 B0 F3 B1 B2 B3");
        assertThat(row(PipelineSchedule.ONE_F_ONE_B, 3, 1, 4, 1)).isEqualTo("F0 F1 B0 F2 B1 F3 B2 B3");
        assertThat(row(PipelineSchedule.ONE_F_ONE_B, 3, 1, 4, 2)).isEqualTo("F0 B0 F1 B1 F2 B2 F3 B3");
        assertThat(row(PipelineSchedule.ONE_F_ONE_B, 3, 1, 1, 0)).isEqualTo("F0 B0");
    }

    @Test
    void interleavedGoesThroughTheChunksInRounds() {
        assertThat(row(PipelineSchedule.INTERLEAVED, 2, 2, 4, 1))
                .isEqualTo("F0 F1 F0.1 B0.1 F1.1 B1.1 F2 B0 F3 B1 F2.1 B2.1 F3.1 B3.1 B2 B3");
    }

    @ParameterizedTest
    @CsvSource({
        "GPIPE,2,1,5",
        "GPIPE,3,2,4",
        "ONE_F_ONE_B,4,1,8",
        "ONE_F_ONE_B,4,1,2",
        "INTERLEAVED,2,2,4",
        "INTERLEAVED,4,2,8",
        "INTERLEAVED,3,3,7",
        "INTERLEAVED,4,3,1"
    })
    void everyMicroBatchRunsOnceEachWayAndNoScheduleWaitsForEver(
            PipelineSchedule schedule, int stages, int chunks, int microBatches) {
        ScheduleTable table = ScheduleTable.of(schedule, stages, chunks, microBatches);
        for (int stage = 0; stage < stages; stage++) {
            Set<ScheduleSlot> slots = new HashSet<>(table.of(stage));
            assertThat(table.of(stage)).hasSize(2 * chunks * microBatches);
            assertThat(slots).hasSize(2 * chunks * microBatches);
        }
        ScheduleTimeline.of(table, 2); // throws if a slot waits for ever
    }

    @Test
    void theBubbleIsThatOfTheFormula() {
        for (int stages = 2; stages <= 4; stages++) {
            for (PipelineSchedule schedule : List.of(PipelineSchedule.GPIPE, PipelineSchedule.ONE_F_ONE_B)) {
                double bubble = ScheduleTimeline.of(ScheduleTable.of(schedule, stages, 1, 32), 2)
                        .bubble();
                assertThat(bubble).isCloseTo((stages - 1) / (32.0 + stages - 1), within(1e-9));
            }
        }
        double plain = ScheduleTimeline.of(ScheduleTable.of(PipelineSchedule.ONE_F_ONE_B, 4, 1, 8), 2)
                .bubble();
        double interleaved = ScheduleTimeline.of(ScheduleTable.of(PipelineSchedule.INTERLEAVED, 4, 2, 8), 2)
                .bubble();
        assertThat(interleaved).isLessThan(plain);
    }

    @Test
    void gpipeHoldsAllMicroBatchesAndOneForwardOneBackwardNoMoreThanStages() {
        ScheduleTable gpipe = ScheduleTable.of(PipelineSchedule.GPIPE, 4, 1, 16);
        ScheduleTable other = ScheduleTable.of(PipelineSchedule.ONE_F_ONE_B, 4, 1, 16);
        for (int stage = 0; stage < 4; stage++) {
            assertThat(gpipe.mostAlive(stage)).isEqualTo(16);
            assertThat(other.mostAlive(stage)).isEqualTo(4 - stage);
        }
    }

    @Test
    void stagesAreCutSoThatTheDearestIsCheap() {
        assertThat(StageBalance.cuts(new double[] {1, 1, 1, 3}, 2)).containsExactly(3);
        assertThat(StageBalance.cuts(new double[] {5, 1, 1, 1, 1, 1}, 2)).containsExactly(1);
        assertThat(StageBalance.cuts(new double[] {1, 2, 3}, 3)).containsExactly(1, 2);
        assertThatThrownBy(() -> StageBalance.cuts(new double[] {1, 2}, 3))
                .hasMessageContaining("the model has 2 layers at its top, which cannot be cut into 3 parts");
    }
}
