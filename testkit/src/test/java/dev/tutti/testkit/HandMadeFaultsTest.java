package dev.tutti.testkit;

import static dev.tutti.testkit.Expectation.becameChief;
import static dev.tutti.testkit.Expectation.failed;
import static dev.tutti.testkit.Expectation.gotLess;
import static dev.tutti.testkit.Expectation.logged;
import static dev.tutti.testkit.Expectation.misses;
import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.Expectation.waitedFor;
import static dev.tutti.testkit.Expectation.worked;
import static dev.tutti.testkit.Scenario.byHand;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.strategy.Strategies;
import dev.tutti.testkit.fault.DataFault;
import dev.tutti.testkit.fault.FaultSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults of members that were started by hand, of their chief and of their coordinator: each bites, and is survived. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(HardAlarm.class)
class HandMadeFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Timeouts PATIENCE = Timeouts.DEFAULT
            .heartbeats(Duration.ofMillis(200), Duration.ofMillis(1500), Duration.ofSeconds(3))
            .reconnect(Duration.ofSeconds(1))
            .tooFew(Duration.ofMillis(500));
    private static final MembershipRules ELASTIC =
            MembershipRules.of(2).between(1, 4).patience(PATIENCE);
    /** Nobody may be missing. */
    private static final MembershipRules STRICT = ELASTIC.between(2, 4);

    /** Who comes back when the others have given up does not wait for them for long. */
    private static final MembershipRules HURRIED = STRICT.patience(PATIENCE.start(Duration.ofSeconds(15)));

    private static final TrainingScenario SCENARIO = TrainingScenario.joined().steps(40, 2);
    /** Steps that consist of computing. */
    private static final TrainingScenario LABOUR =
            TrainingScenario.joined().hidden(256).steps(150, 1);

    /** So long that a few looks at everybody's pace may say nothing: JVMs are still warming up. */
    private static final TrainingScenario PATIENT = TrainingScenario.joined().steps(100, 2);

    @TempDir
    Path folder;

    static Stream<FaultTest> trials() {
        return Stream.of(
                FaultTest.of("slow member")
                        .bites(
                                byHand(even(LABOUR), ELASTIC, at(1, 3).slow(1, 5)),
                                sound(LABOUR, "worker-0", "worker-1"),
                                waitedFor("worker-1"))
                        .survives(
                                byHand(LABOUR, ELASTIC, at(1, 3).slow(1, 5)),
                                sound(LABOUR, "worker-0", "worker-1"),
                                gotLess("worker-1", 0.8),
                                logged("members differ in pace: of each batch they now get"),
                                logged("worker-1 is slow: it takes", "times as long as the others")),
                FaultTest.of("slow disk")
                        .bites(
                                byHand(
                                        even(PATIENT).flaw(DataFault.slow("worker-1", 500)),
                                        ELASTIC,
                                        at(1, 1).await("")),
                                sound(PATIENT, "worker-0", "worker-1"),
                                waitedFor("worker-1"))
                        .survives(
                                byHand(PATIENT.flaw(DataFault.slow("worker-1", 500)), ELASTIC, at(1, 1).await("")),
                                sound(PATIENT, "worker-0", "worker-1"),
                                gotLess("worker-1", 0.8),
                                logged("members differ in pace: of each batch they now get")),
                FaultTest.of("cut connection")
                        .bites(
                                byHand(
                                        SCENARIO,
                                        HURRIED,
                                        at(1, 10)
                                                .cut(1, Duration.ofSeconds(3))
                                                .at(1, 11)
                                                .dawdle("worker-1 is gone")),
                                misses("worker-0", "worker-1"),
                                failed("worker-0", "its connection broke and did not come back within 1.0 s"))
                        .survives(
                                byHand(
                                        SCENARIO,
                                        ELASTIC,
                                        at(1, 10)
                                                .cut(1, Duration.ofSeconds(3))
                                                .at(1, 12)
                                                .dawdle("worker-1b took over")),
                                sound(SCENARIO, "worker-0", "worker-1"),
                                logged("worker-1 is gone: its connection broke"),
                                worked("worker-1b")),
                FaultTest.of("late joiner")
                        .bites(
                                byHand(
                                        SCENARIO,
                                        ELASTIC.between(1, 2),
                                        at(1, 10).join().at(1, 10).await("places are taken")),
                                sound(SCENARIO, "worker-0", "worker-1"),
                                failed("worker-2", "all 2 places are taken"))
                        .survives(
                                byHand(
                                        SCENARIO,
                                        ELASTIC,
                                        at(1, 10).join().at(1, 10).dawdle("worker-2 took over")),
                                sound(SCENARIO, "worker-0", "worker-1", "worker-2"),
                                worked("worker-2")),
                FaultTest.of("chief killed")
                        .bites(byHand(SCENARIO, STRICT, at(1, 10).kill(0)), misses("worker-1", "worker-0"))
                        .survives(
                                byHand(SCENARIO, ELASTIC, at(1, 10).kill(0)),
                                sound(SCENARIO, "worker-1"),
                                becameChief("worker-1")),
                FaultTest.of("coordinator killed")
                        .bites(
                                byHand(
                                        SCENARIO,
                                        ELASTIC.patience(PATIENCE.coordinator(Duration.ofSeconds(2))),
                                        at(1, 10).killCoordinator().at(1, 20).kill(1)),
                                misses("worker-0", "coordinator"),
                                failed("worker-0", "was not reached for"))
                        .survives(
                                byHand(
                                        SCENARIO,
                                        ELASTIC,
                                        at(1, 10)
                                                .killCoordinator()
                                                .after(500)
                                                .startCoordinator()
                                                .at(1, 20)
                                                .kill(1)),
                                sound(SCENARIO, "worker-0"),
                                logged("The coordinator goes on where it was"),
                                logged("worker-1 is gone")),
                FaultTest.of("all at once")
                        .bites(
                                byHand(SCENARIO, four().between(4, 6), disaster()),
                                failed("worker-0", "expected at least 4 members", "worker-1", "worker-2"))
                        .survives(
                                byHand(
                                        SCENARIO,
                                        four(),
                                        disaster().at(1, 10).join().at(1, 12).dawdle("worker-4 took over")),
                                sound(SCENARIO, "worker-0", "worker-3", "worker-4"),
                                logged("worker-1 is gone"),
                                logged("worker-2 is gone"),
                                worked("worker-4")));
    }

    private static TrainingScenario even(TrainingScenario scenario) {
        return scenario.on(Strategies.allReduce().evenShares());
    }

    private static MembershipRules four() {
        return MembershipRules.of(4).between(1, 6).patience(PATIENCE);
    }

    private static FaultSchedule.Then disaster() {
        return at(1, 10).slow(3, 5).at(1, 10).kill(1).at(1, 10).hang(2);
    }

    @ParameterizedTest
    @MethodSource("trials")
    void bites(FaultTest faultTest) {
        assertThat(faultTest.bite(folder, LIMIT)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("trials")
    void isSurvived(FaultTest faultTest) {
        assertThat(faultTest.survive(folder, LIMIT)).isEmpty();
    }

    @Test
    void aSlowMemberIsSentAwayPastTheLimit() {
        TrainingScenario scenario = LABOUR.on(Strategies.allReduce().evenShares());
        assertThat(FaultTest.of("too slow")
                        .survives(
                                byHand(scenario, ELASTIC.ejectSlowerThan(2.5), at(1, 3).slow(1, 5)),
                                sound(LABOUR, "worker-0"),
                                failed("worker-1", "it takes", "times as long as the others, the limit is 2.5"),
                                logged("worker-1 is gone: it takes"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }

    /** Too few are left without the chief: the next one leaves the checkpoint behind. */
    @Test
    void theHeirOfTheChiefLeavesACheckpoint() {
        Path checkpoints = folder.resolve("checkpoints");
        assertThat(FaultTest.of("heir")
                        .bites(
                                byHand(
                                        SCENARIO.checkpoints(checkpoints),
                                        STRICT,
                                        at(1, 10).kill(0)),
                                misses("worker-1", "worker-0"))
                        .bite(folder, LIMIT))
                .isEmpty();
        assertThat(checkpoints)
                .isDirectoryContaining(file -> file.getFileName().toString().startsWith("step-00000001"));
    }

    /** Members that lease their data cannot go on without a coordinator: they leave a checkpoint behind too. */
    @Test
    void averagingEndsWithACheckpointWhenTheCoordinatorStaysAway() {
        Path checkpoints = folder.resolve("checkpoints");
        TrainingScenario scenario =
                SCENARIO.on(Strategies.averaging().everySteps(4)).checkpoints(checkpoints);
        assertThat(FaultTest.of("no coordinator")
                        .bites(
                                byHand(
                                        scenario,
                                        ELASTIC.patience(PATIENCE.coordinator(Duration.ofSeconds(2))),
                                        at(1, 16).killCoordinator()),
                                misses("worker-0", "coordinator"))
                        .bite(folder, LIMIT))
                .isEmpty();
        assertThat(checkpoints)
                .isDirectoryContaining(file -> file.getFileName().toString().startsWith("step-00000"));
    }

    /** Other rows of the same shapes: without a check it would take part, and all would train something else. */
    @Test
    void aMemberThatWasStartedForAnotherJobIsRefusedAndTheOthersGoOn() {
        ManualCluster settings = new ManualCluster(2, ELASTIC, folder)
                .lateMembersDo(TrainingScenario.joined().steps(39, 2).on(Strategies.averaging()));
        FaultSchedule schedule =
                at(1, 10).join().at(1, 10).await("does not train the same job").schedule();
        try (ProcessCluster cluster = ProcessCluster.byHand(SCENARIO, settings, schedule)) {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            assertThat(sound(SCENARIO, "worker-0", "worker-1").complaints(outcome))
                    .isEmpty();
            assertThat(failed(
                                    "worker-2",
                                    "worker-2 on ",
                                    "does not train the same job as worker-",
                                    "data.stages[0].count is '1856', but '1904' for worker-",
                                    "strategy.type is 'averaging', but 'allReduce' for worker-")
                            .complaints(outcome))
                    .isEmpty();
        }
    }

    @Test
    void whenTheFirstWorkerGoesWithTheCoordinatorTheNextOneLeavesACheckpoint() {
        Path checkpoints = folder.resolve("checkpoints");
        ManualCluster settings = new ManualCluster(
                        3, MembershipRules.of(3).patience(PATIENCE.coordinator(Duration.ofSeconds(2))), folder)
                .hostedByFirstWorker();
        try (ProcessCluster cluster = ProcessCluster.byHand(
                SCENARIO.checkpoints(checkpoints), settings, at(1, 10).kill(0).schedule())) {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            for (String survivor : List.of("worker-1", "worker-2")) {
                assertThat(misses(survivor, "coordinator", "worker-0").complaints(outcome))
                        .isEmpty();
                assertThat(failed(survivor, "worker-0 ran it and is gone with it", "To go on without its machine")
                                .complaints(outcome))
                        .isEmpty();
            }
        }
        assertThat(checkpoints)
                .isDirectoryContaining(file -> file.getFileName().toString().startsWith("step-00000001"));
    }

    @Test
    void whoComesWhenTheTrainingIsOverIsToldSo() {
        assertThat(FaultTest.of("too late")
                        .survives(
                                byHand(SCENARIO, ELASTIC, at(3, 0).join()),
                                sound(SCENARIO, "worker-0", "worker-1"),
                                failed("worker-2", "the training is over: worker-0, worker-1 ended it"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }

    /** The coordinator killed and started again, a late joiner, a cut that is shorter than anybody minds, the chief killed. */
    @Test
    void severalFaultsAreSurvivedOneAfterTheOther() {
        assertThat(FaultTest.of("one after the other")
                        .survives(
                                byHand(
                                        SCENARIO,
                                        ELASTIC,
                                        at(1, 5).killCoordinator()
                                                .after(500)
                                                .startCoordinator()
                                                .at(1, 10)
                                                .join()
                                                .at(1, 10)
                                                .await("worker-2 has joined")
                                                .at(1, 10)
                                                .dawdle("worker-2 took over")
                                                .at(1, 20)
                                                .cut(1, Duration.ofMillis(200))
                                                .at(2, 10)
                                                .kill(0)),
                                sound(SCENARIO, "worker-1", "worker-2"),
                                becameChief("worker-1"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }
}
