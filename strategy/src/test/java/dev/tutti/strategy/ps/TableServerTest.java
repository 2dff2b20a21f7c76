package dev.tutti.strategy.ps;

import static dev.tutti.loss.Losses.softmaxCrossEntropy;
import static dev.tutti.metric.Metrics.accuracy;
import static dev.tutti.nn.Layers.dense;
import static dev.tutti.nn.Layers.embedding;
import static dev.tutti.nn.Layers.flatten;
import static dev.tutti.optim.Optimizers.adam;
import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.nn.Model;
import dev.tutti.nn.Sequential;
import dev.tutti.strategy.compression.Compressions;
import dev.tutti.table.FirstValues;
import dev.tutti.table.TableSpec;
import dev.tutti.train.EpochResult;
import dev.tutti.train.Fit;
import dev.tutti.train.Launcher;
import dev.tutti.train.Trainer;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.replica.Strategy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Embeddings whose rows are on servers. */
@Timeout(90)
class TableServerTest {
    private static final int IDS = 40;

    /** Two ids in a row; the label says whether their sum is even. */
    private static Dataset data(int rows) {
        SplittableRandom random = new SplittableRandom(3);
        long[] ids = new long[2 * rows];
        long[] labels = new long[rows];
        for (int row = 0; row < rows; row++) {
            ids[2 * row] = 1000003L * random.nextInt(IDS);
            ids[2 * row + 1] = 1000003L * random.nextInt(IDS);
            labels[row] = (ids[2 * row] + ids[2 * row + 1]) % 2;
        }
        return Dataset.of(NdArray.of(ids, rows, 2), NdArray.of(labels, rows)).batch(16);
    }

    private static Trainer trainer() {
        return Trainer.of(
                        Sequential.of(
                                embedding(0, 6).table(), flatten(), dense(12).tanh(), dense(2)),
                        adam(0.01).clipNorm(0.3),
                        softmaxCrossEntropy())
                .metrics(accuracy())
                .seed(5)
                .cores(1);
    }

    private record Result(float[] rows, NdArray weight, double accuracy, int kept) {}

    private static Result train(Dataset data, Fit fit) {
        try (Trainer trainer = trainer()) {
            trainer.fit(data, fit);
            return new Result(
                    trainer.model()
                            .tables()
                            .all()
                            .get(0)
                            .read(LongStream.range(0, IDS)
                                    .map(i -> 1000003L * i)
                                    .toArray()),
                    trainer.model().arrays().get("dense1.weight"),
                    trainer.evaluate(data).metrics().get("accuracy"),
                    trainer.model().tables().all().get(0).size());
        }
    }

    private static void assertClose(float[] received, float[] expected) {
        for (int i = 0; i < expected.length; i++) {
            assertThat(received[i]).isCloseTo(expected[i], Offset.offset(2e-5f));
        }
    }

    @Test
    void synchronousEqualsOneMachineAlsoWhenAServerIsLost() {
        Dataset data = data(99);
        Result one = train(data, epochs(6));
        AtomicBoolean killed = new AtomicBoolean();
        try (ServerCluster cluster = new ServerCluster(2, 3)) {
            Callback killer = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() == 12 && killed.compareAndSet(false, true)) {
                        cluster.kill("server-1");
                    }
                }
            };
            Fit fit = epochs(6).with(parameterServer().servers(3).backups(1)).callbacks(killer);
            List<Result> results = cluster.run((number, place) -> train(data, fit.on(place)));
            Result chief =
                    results.stream().filter(each -> each.kept() > 0).findFirst().orElseThrow();
            assertClose(chief.rows(), one.rows());
            assertThat(killed).isTrue();
            assertThat(chief.kept()).isEqualTo(one.kept());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerAloneEqualsLocalTrainingBitForBit(boolean servers) {
        Dataset data = data(96);
        Result one = train(data, epochs(5).with(Strategy.local()));
        ParameterServer strategy = parameterServer().servers(2).asynchronous();
        if (!servers) {
            assertThat(train(data, epochs(5).with(strategy).on(Launcher.here())).rows())
                    .isEqualTo(one.rows());
            return;
        }
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            List<Result> results = cluster.run(
                    (number, place) -> train(data, epochs(5).with(strategy).on(place)));
            assertThat(results.get(0).rows()).isEqualTo(one.rows());
            assertThat(results.get(0).weight()).isEqualTo(one.weight());
        }
    }

    /** A backup has what was acknowledged, so a worker that reads backups sees its own pushes. */
    @Test
    void backupsAnswerPullsWithTheSameBits() {
        Dataset data = data(96);
        Result one = train(data, epochs(5).with(Strategy.local()));
        ParameterServer strategy =
                parameterServer().servers(2).backups(1).readCopies().asynchronous();
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            List<Result> results = cluster.run(
                    (number, place) -> train(data, epochs(5).with(strategy).on(place)));
            assertThat(results.get(0).rows()).isEqualTo(one.rows());
            assertThat(results.get(0).weight()).isEqualTo(one.weight());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"staleness", "pipelined", "topK", "bf16"})
    void workersThatDoNotWaitLearn(String way) {
        ParameterServer base = parameterServer().servers(2).staleness(2);
        ParameterServer strategy = switch (way) {
            case "pipelined" -> base.pipelined();
            case "topK" -> base.compression(Compressions.topK(0.3));
            case "bf16" -> base.compression(Compressions.bf16());
            default -> base;
        };
        Dataset data = data(400);
        try (ServerCluster cluster = new ServerCluster(2, 2)) {
            List<Result> results = cluster.run(
                    (number, place) -> train(data, epochs(40).with(strategy).on(place)));
            Result chief =
                    results.stream().filter(each -> each.kept() > 0).findFirst().orElseThrow();
            assertThat(chief.accuracy()).isGreaterThan(0.9);
        }
    }

    @Test
    void anEvaluatorFollowsWhatTheServersHold() throws Exception {
        ParameterServer strategy = parameterServer().servers(2).staleness(1);
        Dataset data = data(400);
        Map<Long, Double> losses = new ConcurrentSkipListMap<>();
        try (ServerCluster cluster = new ServerCluster(2, 2);
                Team outside = cluster.evaluator();
                Trainer judge = trainer()) {
            Thread follower = new Thread(() -> {
                try {
                    EvaluatorProgram.follow(
                            outside, strategy, judge, data, (version, found) -> losses.put(version, found.loss()));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            follower.start();
            cluster.run((number, place) -> train(data, epochs(40).with(strategy).on(place)));
            follower.join(10_000);
            assertThat(follower.isAlive()).as("it ends with the training").isFalse();
        }
        assertThat(losses).hasSizeGreaterThan(2);
        List<Double> inOrder = List.copyOf(losses.values());
        assertThat(inOrder.get(inOrder.size() - 1)).isLessThan(inOrder.get(0));
    }

    /** The rows stay on the servers; what the client finds is what the training finds with its own model. */
    @Test
    void aClientOutsideOfTheTrainingPullsWhatItsModelNeeds() {
        ParameterServer strategy = parameterServer().servers(2).asynchronous().gatherTables(false);
        Dataset data = data(96);
        List<Double> outside = new CopyOnWriteArrayList<>();
        List<Double> inside = new CopyOnWriteArrayList<>();
        try (ServerCluster cluster = new ServerCluster(1, 2);
                Team team = cluster.evaluator();
                Trainer judge = trainer()) {
            Model model = judge.build(data);
            ParameterClient client = ParameterClient.of(team, "reader", model, strategy);
            Callback asking = new Callback() {
                @Override
                public void epoch(Run run, EpochResult result) {
                    client.pullInto(model);
                    outside.add(judge.evaluate(data).loss());
                    inside.add(result.measured().loss());
                }
            };
            Fit fit = epochs(4).with(strategy).validate(data).callbacks(asking);
            cluster.run((number, place) -> train(data, fit.on(place)));
            assertThat(model.tables().all().get(0).size())
                    .as("rows in the client's process")
                    .isZero();
        }
        assertThat(outside).hasSize(4).isEqualTo(inside);
        assertThat(outside.get(3)).isLessThan(outside.get(0));
    }

    /** Reading rows costs their bytes, whatever the size of the table. */
    @Test
    void onlyTheRowsThatAreAskedForTravel() {
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            List<Long> bytes = cluster.run((number, place) -> {
                try (Team team = place.assemble(null)) {
                    team.meet(0);
                    TableSpec spec = new TableSpec("t", 8, new FirstValues(FirstValues.Distribution.NORMAL, 1), 3);
                    ShardClient client =
                            new ShardClient(team, ShardPlacement.equalParts(40, 2), Duration.ofSeconds(30));
                    ReplicationTest.setUp(team, 0, List.of(new ShardTables.Head(spec, 0, Map.of(), List.of())));
                    TableClient tables = new TableClient(client, List.of(spec));
                    long before = team.messages().traffic().received();
                    tables.read(spec, LongStream.range(0, 100).toArray());
                    return team.messages().traffic().received() - before;
                }
            });
            assertThat(bytes.get(0)).isEqualTo(100 * 8 * 4);
        }
    }
}
