package dev.tutti.strategy.ps;

import static dev.tutti.nn.Layers.dense;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.Dataset;
import dev.tutti.json.Json;
import dev.tutti.loss.Losses;
import dev.tutti.metric.Metrics;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Training with parameter servers, on workers and servers that are threads. */
@Timeout(90)
class ParameterServerTest {
    /** 5 batches, the last of which has 3 rows. */
    private static final Dataset DATA = Blobs.data(99).batch(24);

    private static List<Members.Result> train(int workers, int servers, Fit fit) {
        try (ServerCluster cluster = new ServerCluster(workers, servers)) {
            return cluster.run((number, place) -> Members.Result.of(Blobs.trainer(), DATA, fit.on(place)));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "2, 3"})
    void synchronousEqualsOneMachine(int workers, int servers) {
        Map<String, NdArray> one = Blobs.weightsAfter(DATA, epochs(10));
        List<Members.Result> results = train(
                workers,
                servers,
                epochs(10).with(parameterServer().servers(servers).synchronous()));
        Weights.assertClose(Weights.ofAll(results), one, 1e-5);
        assertThat(results.get(0).history().epochs()).hasSize(10);
    }

    private static Trainer clipped() {
        return Trainer.of(
                        Sequential.of(dense(8).tanh(), dense(Blobs.CLASSES)),
                        adam(0.01).clipNorm(0.05).weightDecay(0.01).noDecay("bias"),
                        Losses.softmaxCrossEntropy())
                .metrics(Metrics.accuracy())
                .cores(1);
    }

    @Test
    void clippingDecayByNameAndMetricsHoldOverShards() {
        Fit fit = epochs(4).validate(DATA);
        Members.Result one = Members.Result.of(clipped(), DATA, fit);
        try (ServerCluster cluster = new ServerCluster(2, 2)) {
            List<Members.Result> results = cluster.run((number, place) -> Members.Result.of(
                    clipped(), DATA, fit.with(parameterServer().servers(2)).on(place)));
            Weights.assertClose(Weights.ofAll(results), one.weights(), 1e-5);
            assertThat(results.get(0).history().last().training().metrics())
                    .isEqualTo(one.history().last().training().metrics());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"asynchronous\": true}",
                "{\"asynchronous\": true, \"readCopies\": true, \"backups\": 1}", // its plain twin: pushes, then pulls
                "{\"staleness\": 0}",
                "{\"synchronous\": true}",
                "{\"synchronous\": true, \"backupWorkers\": 1}"
            })
    void aWorkerAloneEqualsLocalTrainingBitForBit(String agreement) {
        Dataset even = Blobs.data(96).batch(24);
        Map<String, NdArray> one = Blobs.weightsAfter(even, epochs(5).with(Strategy.local()));
        Strategy strategy = Json.read(
                agreement.replace("{", "{\"type\": \"parameterServer\", \"servers\": 2, "), Strategy.class, "test");
        assertThat(Blobs.weightsAfter(even, epochs(5).with(strategy).on(Launcher.here())))
                .as("shards in the worker itself")
                .isEqualTo(one);
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            List<Members.Result> results = cluster.run((number, place) -> Members.Result.of(
                    Blobs.trainer(), even, epochs(5).with(strategy).on(place)));
            assertThat(results.get(0).weights()).as("shards on servers").isEqualTo(one);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"staleness", "asynchronous", "every", "backupWorkers", "backupWorkersOfSeveral"})
    void workersThatDoNotWaitLearnAndCountEverySampleOnce(String agreement) {
        ParameterServer servers = parameterServer().servers(2);
        ParameterServer strategy = switch (agreement) {
            case "staleness" -> servers.staleness(2);
            case "every" -> servers.asynchronous().pushEvery(2).scaleLate();
            case "backupWorkers" -> servers.servers(1).synchronous().backupWorkers(1);
            case "backupWorkersOfSeveral" -> servers.shards(3).synchronous().backupWorkers(1);
            default -> servers.asynchronous();
        };
        Dataset data = Blobs.data(480).batch(16);
        try (ServerCluster cluster = new ServerCluster(3, 2)) {
            List<Members.Result> results = cluster.run((number, place) ->
                    Members.Result.of(clipped(), data, epochs(3).with(strategy).on(place)));
            Weights.ofAll(results);
            results.forEach(result -> {
                assertThat(result.history().epochs()).hasSize(3);
                assertThat(result.history().last().training().metrics())
                        .isEqualTo(results.get(0).history().last().training().metrics());
                assertThat(result.history().epochs().get(2).steps())
                        .isEqualTo(results.get(0).history().epochs().get(2).steps());
            });
            assertThat(results.get(0).history().epochs().get(2).steps()).isEqualTo(agreement.equals("every") ? 45 : 90);
            assertThat(results.get(0).history().strategy().values().keySet())
                    .containsExactlyInAnyOrder(
                            agreement.startsWith("backup") ? new String[] {"pushes", "latePushes"} : new String[0]);
            assertThat(results.get(0).history().last().training().loss())
                    .isLessThan(
                            results.get(0).history().epochs().get(0).training().loss());
        }
    }

    /** What is set while training runs holds from the beginning of an epoch on, for all workers; no epoch has batches of both sizes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theBatchSizeIsSetAnewWhileTrainingRuns(boolean synchronous) {
        Dataset data = Blobs.data(480).batch(48);
        ParameterServer strategy =
                synchronous ? parameterServer() : parameterServer().staleness(1);
        List<Long> stepsOfEpochs = new CopyOnWriteArrayList<>();
        Callback changing = new Callback() {
            private long before;

            @Override
            public void epoch(Run run, EpochResult result) {
                stepsOfEpochs.add(result.steps() - before);
                before = result.steps();
                run.configure("batchSize", "24");
                if (stepsOfEpochs.contains(20L)) {
                    run.stop("the batches are smaller");
                }
            }
        };
        try (ServerCluster cluster = new ServerCluster(2, 1)) {
            List<Members.Result> results = cluster.run((number, place) -> Members.Result.of(
                    Blobs.trainer(),
                    data,
                    epochs(5000).with(strategy).callbacks(changing).on(place)));
            Weights.ofAll(results);
        }
        assertThat(stepsOfEpochs).startsWith(10L).endsWith(20L).containsOnly(10L, 20L);
    }

    @Test
    void settingsThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> parameterServer().servers(0).validate())
                .hasMessageContaining("servers: expected at least 1");
        assertThatThrownBy(() -> parameterServer().servers(2).backups(2).validate())
                .hasMessageContaining("backups: expected from 0 to less than the number of servers, 2");
        assertThatThrownBy(() -> parameterServer().pushEvery(2).validate()).hasMessageContaining("pushEvery");
        assertThatThrownBy(() -> Json.read(
                                "{\"type\": \"parameterServer\", \"staleness\": 2, \"asynchronous\": true}",
                                ParameterServer.class,
                                "test")
                        .validate())
                .hasMessageContaining("expected one of synchronous, staleness and asynchronous");
    }
}
