package dev.tutti.strategy.ps;

import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.data.Dataset;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.train.Fit;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers and workers are lost in the middle of training. */
@Timeout(90)
class ServerFaultTest {
    private static final Dataset DATA = Blobs.data(99).batch(24);
    private static final int STEPS = 20;

    private static List<Members.Result> train(int servers, ParameterServer strategy, Consumer<ServerCluster> fault) {
        try (ServerCluster cluster = new ServerCluster(2, servers)) {
            AtomicBoolean happened = new AtomicBoolean();
            Callback disturbing = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() >= 7 && happened.compareAndSet(false, true)) {
                        fault.accept(cluster);
                    }
                }
            };
            Fit fit = epochs(4).with(strategy.servers(servers)).callbacks(disturbing);
            List<Members.Result> results =
                    cluster.run((number, place) -> Members.Result.of(Blobs.trainer(), DATA, fit.on(place)));
            assertThat(happened).isTrue();
            return results;
        }
    }

    /** The other worker goes on when it has come back: else training might be over before. */
    private static void giveUpAWorker(ServerCluster cluster) {
        cluster.killWorker("worker-1");
        cluster.awaitWorkers(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"server-0", "server-1"})
    void aPrimaryThatIsLostChangesNothing(String victim) {
        Map<String, NdArray> one = Blobs.weightsAfter(DATA, epochs(4));
        List<Members.Result> results = train(2, parameterServer().backups(0), cluster -> {});
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        List<Members.Result> disturbed =
                train(3, parameterServer().servers(3).backups(1), cluster -> cluster.kill(victim));
        Weights.assertClose(Weights.ofAll(disturbed), one, 1e-5);
    }

    @Test
    void aWorkerThatIsGivenUpAndComesBackChangesNothing() {
        Map<String, NdArray> one = Blobs.weightsAfter(DATA, epochs(4));
        List<Members.Result> results = train(2, parameterServer(), ServerFaultTest::giveUpAWorker);
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        assertThat(results.get(0).history().last().steps()).isEqualTo(STEPS);
    }

    @Test
    void workersThatDoNotWaitCountEveryChunkOnceWhenOneIsGivenUp() {
        List<Members.Result> results = train(2, parameterServer().staleness(2), ServerFaultTest::giveUpAWorker);
        Weights.ofAll(results);
        assertThat(results.get(0).history().last().steps()).isBetween((long) STEPS, STEPS + 1L);
    }

    /** Those that wait for the first worker give up before it does, and meet again: that does not begin its waiting anew. */
    @Test
    void aServerThatNeverComesIsWaitedForOnce() {
        Timeouts patience = Timeouts.DEFAULT.collective(Duration.ofSeconds(1));
        try (ServerCluster cluster = new ServerCluster(2, 1, patience)) {
            Fit fit = epochs(4).with(parameterServer().servers(2).patience(Duration.ofSeconds(4)));
            List<Members.Result> results =
                    cluster.run((number, place) -> Members.Result.of(Blobs.trainer(), DATA, fit.on(place)));
            Weights.assertClose(Weights.ofAll(results), Blobs.weightsAfter(DATA, epochs(4)), 1e-5);
        }
    }

    @Test
    void aShardWithoutCopiesNeedsACheckpoint() {
        assertThatThrownBy(() -> train(2, parameterServer(), cluster -> {
                    cluster.kill("server-0");
                    cluster.startServer("server-9");
                }))
                .hasMessageContaining("a shard of the parameters was lost with its servers")
                .hasMessageContaining("there is no checkpoint");
    }
}
