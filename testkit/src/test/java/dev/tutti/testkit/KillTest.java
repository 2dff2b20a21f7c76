package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.Cluster;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class KillTest {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @Test
    void survivesKill() {
        Drill drill = Drill.on(Cluster.processes(3));
        Result expected = drill.undisturbed();
        try (Ensemble ensemble =
                Ensemble.driven(drill, Schedule.at(1, 30).kill(2).schedule())) {
            Ensemble.Outcome outcome = ensemble.await(LIMIT);
            outcome.log().forEach(System.err::println);
            assertThat(outcome.hung()).isEmpty();
            assertThat(outcome.first().complaints(drill, expected, 1e-4)).isEmpty();
            System.err.println(outcome.secondsToNextStep(Fault.Kill.class) + " distance "
                    + outcome.first().distance(expected));
        }
    }
}
