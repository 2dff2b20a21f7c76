package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.launch.Processes;
import dev.tutti.testkit.Ensemble.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Faults of JVMs that a driver has started. Each is first shown to bite where nobody may be missing. */
@ExtendWith(HardAlarm.class)
class ProcessFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Duration SILENCE = Duration.ofSeconds(3);
    /** Nobody may be missing, nobody is replaced, nobody waits for long. */
    private static final Processes STRICT =
            Cluster.processes(2).min(2).restarts(0).goneAfter(SILENCE).tooFewFor(Duration.ofMillis(500));

    private static final Processes ELASTIC = Cluster.processes(2).restarts(1).goneAfter(SILENCE);
    private static final Drill DRILL = Drill.on(ELASTIC).steps(40, 2);
    private static Result expected;

    @BeforeAll
    static void trainAlone() {
        expected = DRILL.undisturbed();
    }

    @Test
    void killBites(@TempDir Path folder) {
        Outcome outcome = run(
                DRILL.at(STRICT).checkpoints(folder), Schedule.at(1, 10).kill(1).schedule());
        assertThat(outcome.first().failure())
                .startsWith("MemberLostException")
                .contains("expected at least 2 members, but only worker-0 is here")
                .contains("missing: worker-1 on")
                .contains("gone since");
        assertThat(outcome.first().missing()).containsExactly("worker-1");
        assertThat(folder)
                .isDirectoryContaining(file -> file.getFileName().toString().contains("10"));
    }

    @Test
    void killIsSurvived() {
        Outcome outcome = run(
                DRILL,
                Schedule.at(1, 10)
                        .kill(1)
                        .at(1, 20)
                        .await("worker-1b has joined")
                        .at(1, 20)
                        .dawdle("worker-1b took over")
                        .schedule());
        assertSound(outcome);
        assertThat(outcome.log()).anyMatch(line -> line.contains("worker-1b took over"));
        assertThat(outcome.secondsToNextStep(Fault.Kill.class)).isLessThan(5);
    }

    @Test
    void hangBites() {
        Outcome outcome = run(DRILL.at(STRICT), Schedule.at(1, 10).hang(1).schedule());
        assertThat(outcome.first().missing()).containsExactly("worker-1");
        assertThat(outcome.first().failure()).contains("missing: worker-1").contains("nothing was heard of it for 3");
    }

    @Test
    void hangIsSurvivedAndTheMemberComesBack() {
        Outcome outcome = run(
                DRILL,
                Schedule.at(1, 10)
                        .hang(1)
                        .at(1, 20)
                        .resume(1)
                        .at(1, 20)
                        .await("worker-2 has joined")
                        .at(1, 20)
                        .dawdle("worker-2 took over")
                        .schedule());
        assertSound(outcome);
        assertThat(outcome.log()).anyMatch(line -> line.contains("worker-2 took over"));
        assertThat(outcome.log()).anyMatch(line -> line.contains("worker-1 is gone"));
        // A step it had given its part to may still end without it, so there is no least time.
        assertThat(outcome.secondsToNextStep(Fault.Hang.class)).isLessThan(SILENCE.toSeconds() + 5.0);
    }

    @Test
    void exceptionBites() {
        Outcome outcome = run(DRILL.at(STRICT).flaw(Flaw.thrown("worker-1", 400)), Schedule.CALM);
        assertThat(outcome.first().missing()).containsExactly("worker-1");
        assertThat(outcome.first().failure()).contains("row 400 of worker-1 is spoilt on purpose");
    }

    @Test
    void exceptionIsSurvived() {
        Outcome outcome = run(
                DRILL.flaw(Flaw.thrown("worker-1", 400)),
                Schedule.at(1, 30)
                        .await("worker-1b has joined")
                        .at(1, 30)
                        .dawdle("worker-1b took over")
                        .schedule());
        assertSound(outcome);
        assertThat(outcome.log()).anyMatch(line -> line.contains("worker-1b took over"));
    }

    @Test
    void slowMemberGetsLessAndIsSentAwayPastTheLimit() {
        Drill drill =
                DRILL.at(Cluster.processes(3).restarts(0).ejectSlowerThan(6)).steps(300, 1);
        Outcome outcome = run(drill, Schedule.at(1, 3).slow(1, 20).schedule());
        assertThat(outcome.first().complaints(drill, drill.undisturbed(), 1e-4)).isEmpty();
        assertThat(outcome.log()).anyMatch(line -> line.contains("members differ in pace: of each batch they now get"));
        assertThat(outcome.log())
                .anyMatch(line -> line.contains("worker-1 is gone: it takes") && line.contains("the limit is 6.0"));
    }

    @Test
    void nobodyOutlivesTheDriver() {
        try (Ensemble ensemble =
                Ensemble.driven(DRILL, Schedule.at(1, 10).kill(0).schedule())) {
            Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.results()).isEmpty();
            assertThat(ensemble.orphans(Duration.ofSeconds(10))).isEmpty();
        }
    }

    @Test
    void aDriverThatFailsEndsTheOthersAtOnce() {
        Outcome outcome = run(DRILL.flaw(Flaw.thrown("worker-0", 400)), Schedule.CALM);
        assertThat(outcome.first().failure()).contains("row 400 of worker-0 is spoilt on purpose");
        assertThat(outcome.log()).noneMatch(line -> line.contains("did not end by itself"));
    }

    @Test
    void theDriverMaySleepForLongerThanAnybodyElse() {
        Outcome outcome = run(
                DRILL,
                Schedule.at(1, 10)
                        .hang(0)
                        .after(SILENCE.toMillis() + 1000)
                        .resume(0)
                        .schedule());
        assertSound(outcome);
    }

    private static Outcome run(Drill drill, Schedule schedule) {
        try (Ensemble ensemble = Ensemble.driven(drill, schedule)) {
            Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.hung()).as("%s", outcome.log()).isEmpty();
            assertThat(outcome.results()).as("%s", outcome.log()).hasSize(1);
            return outcome;
        }
    }

    private static void assertSound(Outcome outcome) {
        assertThat(outcome.first().complaints(DRILL, expected, 1e-4)).isEmpty();
        assertThat(outcome.first().accuracy()).isCloseTo(expected.accuracy(), within(0.01));
    }
}
