package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.testkit.ThreadCluster.Stop;
import dev.tutti.testkit.fault.MessageFaults;
import dev.tutti.train.Launcher;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster in one JVM whose messages are disturbed. */
@Isolated
@ExtendWith(HardAlarm.class)
class ThreadClusterTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final TrainingScenario SCENARIO =
            TrainingScenario.on(Launcher.here()).steps(12, 2);
    private static final MemberResult EXPECTED = SCENARIO.undisturbed();
    private static final Timeouts PATIENCE =
            Timeouts.DEFAULT.collective(Duration.ofMillis(1000)).meeting(Duration.ofMillis(500), Duration.ofSeconds(5));

    @Test
    void undisturbedMembersAgree() {
        Map<String, MemberResult> results = train(3, MessageFaults.none(), Stop.NOBODY);
        assertThat(results).hasSize(3);
        results.values()
                .forEach(result ->
                        assertThat(result.complaints(SCENARIO, EXPECTED, 1e-4)).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 4, 5})
    void disturbedMessagesChangeNothing(long seed) {
        MessageFaults mishaps = MessageFaults.of(seed, 0.05, 3, 300);
        Map<String, MemberResult> results = train(3, mishaps, Stop.NOBODY);
        assertThat(results).as("%s", mishaps).hasSize(3);
        results.forEach((name, result) -> {
            assertThat(result.complaints(SCENARIO, EXPECTED, 1e-4))
                    .as("%s, %s", name, mishaps)
                    .isEmpty();
            for (int epoch = 0; epoch < 2; epoch++) {
                assertThat(result.epochs().get(epoch).training().get("accuracy"))
                        .as("nobody's part of a metric is lost or counted twice: %s, %s", name, mishaps)
                        .isCloseTo(
                                EXPECTED.epochs().get(epoch).training().get("accuracy"), within(2.0 / SCENARIO.rows()));
            }
        });
    }

    /** The connection of one member with the others breaks in the middle of an epoch; all of them are alive. */
    @Test
    void aCutBetweenMembersEndsTheTrainingWhereNobodyMeetsAgain() {
        try (ThreadCluster cluster = new ThreadCluster(
                        SCENARIO,
                        3,
                        MembershipRules.of(3).patience(PATIENCE),
                        MessageFaults.cut("worker-1", 15),
                        Stop.NOBODY)
                .withoutRecovery()) {
            assertThat(cluster.train(LIMIT).values())
                    .hasSize(3)
                    .allMatch(result -> result.failed() && result.failure().contains("the group broke"));
        }
    }

    @Test
    void aCutBetweenMembersIsSurvived() {
        Map<String, MemberResult> results = train(3, MessageFaults.cut("worker-1", 15), Stop.NOBODY);
        assertThat(results).hasSize(3);
        results.forEach((name, result) -> {
            assertThat(result.complaints(SCENARIO, EXPECTED, 1e-4)).as(name).isEmpty();
            assertThat(result.distance(results.get("worker-0"))).as(name).isZero();
        });
    }

    /** Calls to the others: the first meeting, steps, the end of an epoch, validation, the very end. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 5, 12, 27, 29, 36, 44, 80})
    void nobodyWaitsForOneWhoStopped(int call) {
        Map<String, MemberResult> results = train(3, MessageFaults.none(), new Stop(call % 3, call));
        assertThat(results).as("stopped at call %d", call).hasSizeGreaterThanOrEqualTo(2);
        results.forEach((name, result) -> assertThat(result.complaints(SCENARIO, EXPECTED, 1e-4))
                .as("%s, stopped at call %d", name, call)
                .isEmpty());
    }

    private static Map<String, MemberResult> train(int members, MessageFaults mishaps, Stop stop) {
        try (ThreadCluster cluster =
                new ThreadCluster(SCENARIO, members, MembershipRules.of(members).patience(PATIENCE), mishaps, stop)) {
            return cluster.train(LIMIT);
        }
    }
}
