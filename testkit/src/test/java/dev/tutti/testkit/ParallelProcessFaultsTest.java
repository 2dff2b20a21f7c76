package dev.tutti.testkit;

import static dev.tutti.strategy.Strategies.parallel;
import static dev.tutti.testkit.Expectation.failed;
import static dev.tutti.testkit.Expectation.logged;
import static dev.tutti.testkit.Expectation.sound;
import static dev.tutti.testkit.Scenario.driven;
import static dev.tutti.testkit.fault.FaultSchedule.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import dev.tutti.cluster.launch.LocalProcesses;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** JVMs that hold parts of a model are killed and stopped. Worker 0, which has started them, is the first stage. */
@ExtendWith(HardAlarm.class)
class ParallelProcessFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static LocalProcesses members(int count) {
        return Cluster.processes(count).min(1).restarts(0).goneAfter(SILENCE);
    }

    private static TrainingScenario scenario(int members) {
        return TrainingScenario.on(members(members)).steps(20, 2).momentum(0.9);
    }

    @Test
    void aKilledStageWithATwinCostsNothing(@TempDir Path folder) {
        TrainingScenario grid = scenario(4).on(parallel().data(2).pipeline(2).microBatches(2));
        assertThat(FaultTest.of("kill the last stage of the second set")
                        .survives(driven(grid, at(1, 10).kill(3)), sound(grid, "worker-0"), logged("worker-3"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }

    @Test
    void aStoppedStageWithoutATwinBitesWithoutACheckpoint(@TempDir Path folder) {
        TrainingScenario stages = scenario(3).on(parallel().pipeline(3).microBatches(2));
        assertThat(FaultTest.of("stop the middle stage")
                        .bites(
                                driven(stages, at(2, 5).hang(1)),
                                failed("worker-0", "there is no checkpoint of this run to go back to"))
                        .bite(folder, LIMIT))
                .isEmpty();
    }

    @Test
    void aStoppedStageWithoutATwinSendsAllBackToTheCheckpointOnASmallerGrid(@TempDir Path folder) {
        TrainingScenario stages =
                scenario(3).on(parallel().pipeline(3).microBatches(2)).checkpoints(folder.resolve("checkpoints"));
        assertThat(FaultTest.of("stop the middle stage")
                        .survives(
                                driven(stages, at(2, 5).hang(1)),
                                sound(stages, "worker-0"),
                                logged("to the checkpoint of step 20"))
                        .survive(folder, LIMIT))
                .isEmpty();
    }
}
