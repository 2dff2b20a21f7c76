package dev.tutti.testkit;

import static dev.tutti.testkit.Schedule.at;
import static dev.tutti.testkit.Sign.becameChief;
import static dev.tutti.testkit.Sign.failed;
import static dev.tutti.testkit.Sign.gotLess;
import static dev.tutti.testkit.Sign.logged;
import static dev.tutti.testkit.Sign.misses;
import static dev.tutti.testkit.Sign.sound;
import static dev.tutti.testkit.Sign.waitedFor;
import static dev.tutti.testkit.Sign.worked;
import static dev.tutti.testkit.Stage.byHand;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.Patience;
import dev.tutti.cluster.coordinator.Rules;
import dev.tutti.strategy.Strategies;
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

/** Faults of members that were started by hand, of their chief and of their coordinator: each bites, and is survived. */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(HardAlarm.class)
class HandMadeFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Patience PATIENCE = Patience.DEFAULT
            .heartbeats(Duration.ofMillis(200), Duration.ofMillis(1500), Duration.ofSeconds(3))
            .reconnect(Duration.ofSeconds(1))
            .tooFew(Duration.ofMillis(500));
    private static final Rules ELASTIC = Rules.of(2).between(1, 4).patience(PATIENCE);
    /** Nobody may be missing. */
    private static final Rules STRICT = ELASTIC.between(2, 4);

    /** Who comes back when the others have given up does not wait for them for long. */
    private static final Rules HURRIED = STRICT.patience(PATIENCE.start(Duration.ofSeconds(15)));

    private static final Drill DRILL = Drill.joined().steps(40, 2);
    /** Steps that consist of computing. */
    private static final Drill LABOUR = Drill.joined().hidden(256).steps(150, 1);

    /** So long that a few looks at everybody's pace may say nothing: JVMs are still warming up. */
    private static final Drill PATIENT = Drill.joined().steps(100, 2);

    @TempDir
    Path folder;

    static Stream<Trial> trials() {
        return Stream.of(
                Trial.of("slow member")
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
                Trial.of("slow disk")
                        .bites(
                                byHand(even(PATIENT).flaw(Flaw.slow("worker-1", 500)), ELASTIC, at(1, 1).await("")),
                                sound(PATIENT, "worker-0", "worker-1"),
                                waitedFor("worker-1"))
                        .survives(
                                byHand(PATIENT.flaw(Flaw.slow("worker-1", 500)), ELASTIC, at(1, 1).await("")),
                                sound(PATIENT, "worker-0", "worker-1"),
                                gotLess("worker-1", 0.8),
                                logged("members differ in pace: of each batch they now get")),
                Trial.of("cut connection")
                        .bites(
                                byHand(
                                        DRILL,
                                        HURRIED,
                                        at(1, 10)
                                                .cut(1, Duration.ofSeconds(3))
                                                .at(1, 11)
                                                .dawdle("worker-1 is gone")),
                                misses("worker-0", "worker-1"),
                                failed("worker-0", "its connection broke and did not come back within 1.0 s"))
                        .survives(
                                byHand(
                                        DRILL,
                                        ELASTIC,
                                        at(1, 10)
                                                .cut(1, Duration.ofSeconds(3))
                                                .at(1, 12)
                                                .dawdle("worker-2 took over")),
                                sound(DRILL, "worker-0", "worker-1"),
                                logged("worker-1 is gone: its connection broke"),
                                worked("worker-2")),
                Trial.of("late joiner")
                        .bites(
                                byHand(
                                        DRILL,
                                        ELASTIC.between(1, 2),
                                        at(1, 10).join().at(1, 10).await("places are taken")),
                                sound(DRILL, "worker-0", "worker-1"),
                                failed("worker-2", "all 2 places are taken"))
                        .survives(
                                byHand(
                                        DRILL,
                                        ELASTIC,
                                        at(1, 10).join().at(1, 10).dawdle("worker-2 took over")),
                                sound(DRILL, "worker-0", "worker-1", "worker-2"),
                                worked("worker-2")),
                Trial.of("chief killed")
                        .bites(byHand(DRILL, STRICT, at(1, 10).kill(0)), misses("worker-1", "worker-0"))
                        .survives(
                                byHand(DRILL, ELASTIC, at(1, 10).kill(0)),
                                sound(DRILL, "worker-1"),
                                becameChief("worker-1")),
                Trial.of("coordinator killed")
                        .bites(
                                byHand(
                                        DRILL,
                                        ELASTIC.patience(PATIENCE.coordinator(Duration.ofSeconds(2))),
                                        at(1, 10).killCoordinator().at(1, 20).kill(1)),
                                misses("worker-0", "coordinator"),
                                failed("worker-0", "was not reached for"))
                        .survives(
                                byHand(
                                        DRILL,
                                        ELASTIC,
                                        at(1, 10)
                                                .killCoordinator()
                                                .after(500)
                                                .startCoordinator()
                                                .at(1, 20)
                                                .kill(1)),
                                sound(DRILL, "worker-0"),
                                logged("The coordinator goes on where it was"),
                                logged("worker-1 is gone")),
                Trial.of("all at once")
                        .bites(
                                byHand(DRILL, four().between(4, 6), disaster()),
                                failed("worker-0", "expected at least 4 members", "worker-1", "worker-2"))
                        .survives(
                                byHand(
                                        DRILL,
                                        four(),
                                        disaster().at(1, 10).join().at(1, 12).dawdle("worker-4 took over")),
                                sound(DRILL, "worker-0", "worker-3", "worker-4"),
                                logged("worker-1 is gone"),
                                logged("worker-2 is gone"),
                                worked("worker-4")));
    }

    private static Drill even(Drill drill) {
        return drill.on(Strategies.allReduce().evenShares());
    }

    private static Rules four() {
        return Rules.of(4).between(1, 6).patience(PATIENCE);
    }

    private static Schedule.Then disaster() {
        return at(1, 10).slow(3, 5).at(1, 10).kill(1).at(1, 10).hang(2);
    }

    @ParameterizedTest
    @MethodSource("trials")
    void bites(Trial trial) {
        assertThat(trial.bite(folder, LIMIT)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("trials")
    void isSurvived(Trial trial) {
        assertThat(trial.survive(folder, LIMIT)).isEmpty();
    }

    @Test
    void aSlowMemberIsSentAwayPastTheLimit() {
        Drill drill = LABOUR.on(Strategies.allReduce().evenShares());
        assertThat(Trial.of("too slow")
                        .survives(
                                byHand(drill, ELASTIC.ejectSlowerThan(2.5), at(1, 3).slow(1, 5)),
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
        assertThat(Trial.of("heir")
                        .bites(
                                byHand(
                                        DRILL.checkpoints(checkpoints),
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
        Drill drill = DRILL.on(Strategies.averaging().everySteps(4)).checkpoints(checkpoints);
        assertThat(Trial.of("no coordinator")
                        .bites(
                                byHand(
                                        drill,
                                        ELASTIC.patience(PATIENCE.coordinator(Duration.ofSeconds(2))),
                                        at(1, 16).killCoordinator()),
                                misses("worker-0", "coordinator"))
                        .bite(folder, LIMIT))
                .isEmpty();
        assertThat(checkpoints)
                .isDirectoryContaining(file -> file.getFileName().toString().startsWith("step-00000"));
    }

    @Test
    void whoComesWhenTheTrainingIsOverIsToldSo() {
        assertThat(Trial.of("too late")
                        .survives(
                                byHand(DRILL, ELASTIC, at(3, 0).join()),
                                sound(DRILL, "worker-0", "worker-1"),
                                failed("worker-2", "the training is over: worker-0, worker-1 ended it"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }

    /** The coordinator killed and started again, a late joiner, a cut that is shorter than anybody minds, the chief killed. */
    @Test
    void severalFaultsAreSurvivedOneAfterTheOther() {
        assertThat(Trial.of("one after the other")
                        .survives(
                                byHand(
                                        DRILL,
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
                                sound(DRILL, "worker-1", "worker-2"),
                                becameChief("worker-1"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }
}
