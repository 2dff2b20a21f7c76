package dev.tutti.strategy.multitask;

import static dev.tutti.optim.Optimizers.sgd;
import static dev.tutti.strategy.Strategies.placedTasks;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.json.Json;
import dev.tutti.strategy.Members.Result;
import dev.tutti.strategy.ps.ServerCluster;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingException;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.multitask.MultiTask;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tasks that have members of their own, and share what parameter servers hold. */
@Timeout(120)
class ServedTasksTest {
    private static final int STEPS = 30 * PlacedTasksTest.EPOCHS; // 720 rows in batches of 24

    private static List<Result> trained(int members, int servers, Consumer<ServerCluster> fault) {
        AtomicBoolean happened = new AtomicBoolean();
        try (ServerCluster cluster = new ServerCluster(members, servers)) {
            Callback disturbing = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() >= 100 && happened.compareAndSet(false, true)) {
                        fault.accept(cluster);
                    }
                }
            };
            Strategy strategy = placedTasks().everySteps(5).servers(servers);
            return cluster.run((number, place) -> PlacedTasksTest.trained(place, strategy, disturbing));
        }
    }

    private static void requireSound(List<Result> results) {
        assertThat(results.stream().map(Result::weights).distinct())
                .as("the same bits on all members")
                .hasSize(1);
        PlacedTasksTest.requireAllRows(results.get(0));
        PlacedTasksTest.requireLearned(results.get(0));
    }

    @SuppressWarnings("unchecked")
    private static long pushes(Result result) {
        Map<String, Object> shared =
                (Map<String, Object>) result.history().strategy().values().get("sharedPart");
        return ((Number) shared.get("pushes")).longValue();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "5, 1"})
    void tasksReachTheSameMetricsWithASharedPartOnServers(int members, int servers) {
        List<Result> results = trained(members, servers, cluster -> {});
        requireSound(results);
        long pushes = results.stream().mapToLong(ServedTasksTest::pushes).sum();
        if (members == 1) {
            assertThat(pushes).as("there is no other member to share with").isZero();
        } else { // every step has rows of some task, and a member pushes where it has some
            assertThat(pushes).isBetween((long) STEPS, (long) STEPS * members);
            assertThat(results).allSatisfy(result -> assertThat(pushes(result)).isPositive());
        }
    }

    /** All members push what they have of one batch: together that is the step of one machine with the whole batch. */
    @Test
    void aStepMovesTheSharedPartAsOneMachineDoes() {
        float[] one = trunkAfterAStep(Launcher.here(), Strategy.local());
        try (ServerCluster cluster = new ServerCluster(2, 1)) {
            List<float[]> two = cluster.run((number, place) ->
                    trunkAfterAStep(place, placedTasks().everySteps(1).servers(1)));
            assertThat(two.get(0)).isEqualTo(two.get(1)).hasSameSizeAs(one);
            for (int i = 0; i < one.length; i++) {
                assertThat(two.get(0)[i]).as("element %d", i).isCloseTo(one[i], within(1e-6f));
            }
        }
    }

    private static float[] trunkAfterAStep(Launcher place, Strategy strategy) {
        MultiTask tasks = PlacedTasksTest.tasks();
        Result result = Result.of(
                tasks.trainer(sgd(0.1)).seed(4).cores(1),
                tasks.data(7).batch(720),
                epochs(1).quiet().on(place).with(strategy));
        return result.weights().get("trunk.weight").floats();
    }

    @Test
    void theTasksOfALostMemberMoveAndNoRowIsLost() {
        List<Result> results = trained(2, 1, cluster -> {
            cluster.killWorker("worker-1");
            cluster.awaitWorkers(2); // it comes back under another name
        });
        requireSound(results);
        assertThat(PlacedTasksTest.report(results.get(0)))
                .anySatisfy(task -> assertThat((int) task.get("moves")).isPositive());
    }

    /** No copy of what it held is left: the members have what they agreed on last, and give it to the other server. */
    @Test
    void aLostServerCostsTheRoundUnderWayOnly() {
        requireSound(trained(2, 2, cluster -> cluster.kill("server-0")));
    }

    @Test
    void serversAreASettingOfTheStrategy() {
        String text = "{\"type\": \"placedTasks\", \"servers\": 2, \"backups\": 1}";
        Strategy read = Json.read(text, Strategy.class, "x");
        assertThat(read).hasToString("placedTasks().everySteps(16).servers(2).backups(1)");
        assertThat(read.roles()).containsExactly(Map.entry("server", 2));
        assertThatThrownBy(() -> placedTasks().servers(1).backups(1))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("less than the number of servers, 1, received 1");
    }
}
