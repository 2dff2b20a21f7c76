package dev.tutti.strategy.parallel.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.strategy.parallel.plan.ScheduleSvg;
import dev.tutti.train.profile.Timeline;
import dev.tutti.train.profile.Timing.Phase;
import org.junit.jupiter.api.Test;

/** Stretches of computing are the slots of a stage, in their order. */
class MeasuredScheduleTest {
    private static final ScheduleTable TABLE = ScheduleTable.of(PipelineSchedule.ONE_F_ONE_B, 2, 1, 2);
    private static final double TOLERANCE = 0.005; // seconds: every timeline looks at the clock by itself

    private final long origin = System.nanoTime();
    private final MeasuredSchedule measured = new MeasuredSchedule();

    /** Passes of 100 ms that begin at these tenths of a second, with a wait before each. */
    private Timeline stage(int... tenths) {
        Timeline timeline = new Timeline(100);
        for (int each : tenths) {
            long began = origin + each * 100_000_000L;
            timeline.stretch(Phase.WAIT, began - 1_000_000, began);
            timeline.stretch(Phase.COMPUTE, began, began + 100_000_000L);
        }
        return timeline;
    }

    @Test
    void aStepIsLaidOutFromItsFirstPass() {
        measured.follow(stage(0, 1, 2, 4, 10, 11, 12, 14), () -> "worker-0");
        measured.member(1, "worker-1", stage(1, 2, 3, 4, 11, 12, 13, 14));
        ScheduleTimeline second = measured.step(TABLE, 1);
        assertThat(second.end()).isCloseTo(0.5, within(TOLERANCE));
        assertThat(second.bubble()).isCloseTo(0.2, within(0.03));
        for (int stage = 0; stage < 2; stage++) {
            assertThat(second.spans().get(stage).stream()
                            .map(ScheduleTimeline.Span::slot)
                            .toList())
                    .isEqualTo(TABLE.of(stage));
        }
        assertThat(second.spans().get(1).get(0).from()).isCloseTo(0.1, within(TOLERANCE));
        assertThat(ScheduleSvg.measured(second, "two stages")).contains("<svg", "two stages", "stage 2", "idle ");
    }

    @Test
    void aStageThatToldNothingIsNamed() {
        measured.follow(stage(0, 1, 2, 4), () -> "worker-0");
        assertThatThrownBy(() -> measured.step(TABLE, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stage 2 has told of 0 of its 4 passes");
    }
}
