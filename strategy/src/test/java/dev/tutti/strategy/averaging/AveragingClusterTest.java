package dev.tutti.strategy.averaging;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.averaging;
import static dev.tutti.strategy.averaging.Outer.nesterov;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.cluster.ClusterTeam;
import dev.tutti.cluster.coordinator.Rules;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.Newcomer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Connections;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.tensor.NdArray;
import dev.tutti.train.EpochResult;
import dev.tutti.train.History;
import dev.tutti.train.Trainer;
import dev.tutti.train.Workplace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Averaging with a real coordinator, its ledger and shared memory; members are threads of this JVM. */
@Timeout(120)
class AveragingClusterTest {
    private static final int ROWS = 300;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** What a member ends with. */
    private record Result(Map<String, NdArray> weights, History history) {}

    /** What happens to a member on the way. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void membersAgreeAndEverySampleCountsOnce() throws Exception {
        List<Result> results = run(2, averaging().everySteps(3).outer(nesterov(0.7, 0.9)), Integer.MAX_VALUE);
        assertExact(results, 2);
    }

    @Test
    void oneThatFailsIsDoneWithout() throws Exception {
        assertExact(run(3, averaging().everySteps(3), 70), 2);
        assertExact(run(3, averaging().everyEpoch(), 30), 2);
    }

    private static void assertExact(List<Result> results, int members) {
        assertThat(results).hasSize(members);
        assertThat(results.stream().map(Result::weights).distinct()).hasSize(1);
        assertThat(results.get(0).history().epochs()).hasSize(3);
        for (EpochResult epoch : results.get(0).history().epochs()) {
            assertThat(epoch.training().samples()).isEqualTo(ROWS);
        }
    }

    /** @param rowsOfLast rows after which the last member fails */
    private List<Result> run(int members, Averaging strategy, int rowsOfLast) throws Exception {
        try (CoordinatorServer server =
                CoordinatorServer.start(ServerSettings.of(Rules.of(members).between(1, members)))) {
            List<Future<Result>> running = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                Workplace place = place(server, "worker-" + i);
                AtomicInteger left = new AtomicInteger(i == members - 1 ? rowsOfLast : Integer.MAX_VALUE);
                running.add(threads.submit(() -> train(place, strategy, left)));
            }
            List<Result> results = new ArrayList<>();
            for (Future<Result> each : running) {
                Result result = each.get(60, TimeUnit.SECONDS);
                if (result != null) {
                    results.add(result);
                }
            }
            return results;
        }
    }

    private static Workplace place(CoordinatorServer server, String id) {
        return work -> ClusterTeam.join(server.address(), Newcomer.worker(id), 1, Connections::open);
    }

    private static Result train(Workplace place, Averaging strategy, AtomicInteger rows) {
        Dataset data = Blobs.data(ROWS)
                .map(sample -> {
                    if (rows.decrementAndGet() < 0) {
                        throw new Failed();
                    }
                    return sample;
                })
                .shuffle(5)
                .batch(12);
        try (Trainer trainer = Trainer.of(
                        Sequential.of(dense(8).tanh(), dense(Blobs.CLASSES)), adam(0.01), softmaxCrossEntropy())
                .threads(1)) {
            History history = trainer.fit(data, epochs(3).on(place).with(strategy));
            return new Result(trainer.model().arrays(), history);
        } catch (RuntimeException e) {
            if (rows.get() < 0) {
                return null;
            }
            throw e;
        }
    }
}
