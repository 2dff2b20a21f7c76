package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.coordinator.Patience;
import dev.tutti.cluster.coordinator.Rules;
import dev.tutti.testkit.Ensemble.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Faults of members that were started by hand, of their chief and of their coordinator. */
@ExtendWith(HardAlarm.class)
class HandMadeFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final Rules RULES = Rules.of(2).between(1, 4);
    private static final Patience PATIENCE =
            Patience.DEFAULT.heartbeats(Duration.ofMillis(300), Duration.ofMillis(1500), Duration.ofSeconds(3));
    private static final Drill DRILL = Drill.joined().steps(40, 2);

    @TempDir
    Path folder;

    @Test
    void withoutACoordinatorNobodyCanBeReplaced() {
        Rules rules = RULES.patience(PATIENCE.coordinator(Duration.ofSeconds(2)));
        Outcome outcome = run(
                rules, Schedule.at(1, 10).killCoordinator().at(1, 20).kill(1).schedule());
        assertThat(outcome.results()).containsOnlyKeys("worker-0");
        assertThat(outcome.first().missing()).containsExactly("coordinator");
        assertThat(outcome.first().failure()).contains("was not reached for");
    }

    /** The coordinator killed and started again, a late joiner, a cut connection, then the chief killed. */
    @Test
    void severalFaultsAreSurvived() {
        Outcome outcome = run(
                RULES.patience(PATIENCE),
                Schedule.at(1, 5)
                        .killCoordinator()
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
                        .kill(0)
                        .schedule());
        assertThat(outcome.results()).containsOnlyKeys("worker-1", "worker-2");
        Result expected = DRILL.undisturbed();
        outcome.results()
                .forEach((name, result) -> assertThat(result.complaints(DRILL, expected, 1e-4))
                        .as(name)
                        .isEmpty());
        assertThat(outcome.results().get("worker-1").distance(outcome.results().get("worker-2")))
                .as("members hold the same bits")
                .isZero();
        assertThat(outcome.events())
                .as("callbacks move on to the next chief")
                .anyMatch(event -> event.member() != null && !event.member().equals("worker-0"));
    }

    private Outcome run(Rules rules, Schedule schedule) {
        try (Ensemble ensemble = Ensemble.byHand(DRILL, new HandMade(2, rules, folder), schedule)) {
            Outcome outcome = ensemble.await(LIMIT);
            assertThat(outcome.hung()).as("%s", outcome.log()).isEmpty();
            return outcome;
        }
    }
}
