package dev.tutti.testkit;

import static dev.tutti.strategy.Strategies.allReduce;
import static dev.tutti.testkit.Expectation.failed;
import static dev.tutti.testkit.Expectation.logged;
import static dev.tutti.testkit.Expectation.misses;
import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.Expectation.worked;
import static dev.tutti.testkit.Scenario.driven;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.launch.LocalProcesses;
import dev.tutti.testkit.ProcessCluster.Outcome;
import dev.tutti.testkit.fault.DataFault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of JVMs that a driver has started. Each is first shown to bite where nobody may be missing. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(HardAlarm.class)
class ProcessFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Duration SILENCE = Duration.ofSeconds(3);
    /** Nobody may be missing, nobody is replaced, nobody waits for long. */
    private static final LocalProcesses STRICT =
            Cluster.processes(2).min(2).restarts(0).goneAfter(SILENCE).tooFewFor(Duration.ofMillis(500));

    private static final LocalProcesses ELASTIC =
            Cluster.processes(2).restarts(1).goneAfter(SILENCE);
    private static final TrainingScenario SCENARIO =
            TrainingScenario.on(ELASTIC).steps(40, 2);
    private static final TrainingScenario SHARDED =
            SCENARIO.momentum(0.9).on(allReduce().shardedState());

    static Stream<FaultTest> trials() {
        return Stream.of(
                FaultTest.of("kill")
                        .bites(
                                driven(SCENARIO.at(STRICT), at(1, 10).kill(1)),
                                misses("worker-0", "worker-1"),
                                failed(
                                        "worker-0",
                                        "MemberLostException",
                                        "expected at least 2 members, but only worker-0 is here",
                                        "missing: worker-1 on",
                                        "gone since"))
                        .survives(
                                driven(SCENARIO, at(1, 10).kill(1).at(1, 20).dawdle("worker-1b took over")),
                                sound(SCENARIO, "worker-0"),
                                worked("worker-1b")),
                FaultTest.of("hang")
                        .bites(
                                driven(SCENARIO.at(STRICT), at(1, 10).hang(1)),
                                misses("worker-0", "worker-1"),
                                failed("worker-0", "missing: worker-1", "nothing was heard of it for 3"))
                        .survives(
                                driven(
                                        SCENARIO,
                                        at(1, 10)
                                                .hang(1)
                                                .at(1, 20)
                                                .resume(1)
                                                .at(1, 20)
                                                .dawdle("worker-1b took over")),
                                sound(SCENARIO, "worker-0"),
                                logged("worker-1 is gone"),
                                worked("worker-1b")),
                FaultTest.of("exception")
                        .bites(
                                driven(SCENARIO.at(STRICT).flaw(DataFault.thrown("worker-1", 400)), at(1, 1).await("")),
                                misses("worker-0", "worker-1"),
                                failed("worker-0", "row 400 of worker-1 is spoilt on purpose"))
                        .survives(
                                driven(
                                        SCENARIO.flaw(DataFault.thrown("worker-1", 400)),
                                        at(1, 30).dawdle("worker-1b took over")),
                                sound(SCENARIO, "worker-0"),
                                worked("worker-1b")));
    }

    @ParameterizedTest
    @MethodSource("trials")
    void bites(FaultTest faultTest, @TempDir Path folder) {
        assertThat(faultTest.bite(folder, LIMIT)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("trials")
    void isSurvived(FaultTest faultTest, @TempDir Path folder) {
        assertThat(faultTest.survive(folder, LIMIT)).isEmpty();
    }

    @Test
    void whenTooFewAreLeftThereIsACheckpoint(@TempDir Path folder) {
        run(SCENARIO.at(STRICT).checkpoints(folder), at(1, 10).kill(1).schedule());
        assertThat(folder)
                .isDirectoryContaining(file -> file.getFileName().toString().contains("10"));
    }

    @Test
    void aPartOfTheStateThatIsLostBites() {
        Outcome outcome = run(SHARDED, at(2, 10).kill(1).schedule());
        assertThat(outcome.first().failure())
                .contains("went with members that were lost", "there is no checkpoint of this run");
    }

    @Test
    void aPartOfTheStateThatIsLostComesBackWithTheCheckpoint(@TempDir Path folder) {
        TrainingScenario scenario = SHARDED.checkpoints(folder);
        Outcome outcome = run(
                scenario,
                at(2, 10).kill(1).at(2, 20).dawdle("worker-1b took over").schedule());
        assertThat(sound(scenario, "worker-0").complaints(outcome)).isEmpty();
        assertThat(logged("all go back from step 50 to the checkpoint of step 40")
                        .complaints(outcome))
                .isEmpty();
    }

    @Test
    void nobodyOutlivesTheDriver() {
        try (ProcessCluster cluster =
                ProcessCluster.driven(SCENARIO, at(1, 10).kill(0).schedule())) {
            Outcome outcome = cluster.await(LIMIT);
            assertThat(outcome.results()).isEmpty();
            assertThat(cluster.orphans(Duration.ofSeconds(10))).isEmpty();
        }
    }

    @Test
    void aDriverThatFailsEndsTheOthersAtOnce() {
        Outcome outcome = run(SCENARIO.flaw(DataFault.thrown("worker-0", 400)), FaultSchedule.CALM);
        assertThat(outcome.first().failure()).contains("row 400 of worker-0 is spoilt on purpose");
        assertThat(outcome.log()).noneMatch(line -> line.contains("did not end by itself"));
    }

    @Test
    void theDriverMaySleepForLongerThanAnybodyElse() {
        Outcome outcome = run(
                SCENARIO,
                at(1, 10).hang(0).after(SILENCE.toMillis() + 1000).resume(0).schedule());
        assertThat(sound(SCENARIO, "worker-0").complaints(outcome)).isEmpty();
    }

    private static Outcome run(TrainingScenario scenario, FaultSchedule schedule) {
        try (ProcessCluster cluster = ProcessCluster.driven(scenario, schedule)) {
            Outcome outcome = cluster.await(LIMIT);
            assertThat(outcome.hung()).as("%s", outcome.log()).isEmpty();
            assertThat(outcome.results()).as("%s", outcome.log()).hasSize(1);
            return outcome;
        }
    }
}
