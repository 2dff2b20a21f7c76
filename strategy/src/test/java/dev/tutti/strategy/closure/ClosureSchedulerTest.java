package dev.tutti.strategy.closure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.launch.TrainingCluster;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Functions on executors that are JVMs; one of them is killed. */
@Timeout(120)
class ClosureSchedulerTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void functionsOfALostExecutorRunOnAnother() {
        try (TrainingCluster cluster =
                        TrainingCluster.of(Map.of(ExecutorProgram.ROLE, 2)).start();
                Team team = cluster.join("worker-0");
                Scope scope = Scope.open()) {
            team.meet(0);
            ClosureScheduler scheduler = new ClosureScheduler(team, LIMIT);
            List<CompletableFuture<Message>> results = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                results.add(scheduler.schedule("square", Map.of(), Tensor.of(new float[] {i}, 1)));
                if (i == 100) {
                    scheduler.fetch(results.get(0), LIMIT).close();
                    cluster.process("executor-0").orElseThrow().destroyForcibly();
                }
            }
            scheduler.join(LIMIT);
            for (int i = 1; i < results.size(); i++) {
                try (Message answer = scheduler.fetch(results.get(i), LIMIT)) {
                    assertThat(answer.body().get(0).item()).isEqualTo((double) i * i);
                }
            }
            CompletableFuture<Message> failing =
                    scheduler.schedule("square", Map.of("fail", true), Tensor.of(new float[] {1}, 1));
            assertThatThrownBy(() -> scheduler.fetch(failing, LIMIT))
                    .hasMessageContaining("square failed")
                    .hasMessageContaining("as it was told");
        }
    }
}
