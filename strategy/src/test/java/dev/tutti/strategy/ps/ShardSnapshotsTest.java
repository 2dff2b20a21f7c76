package dev.tutti.strategy.ps;

import static dev.tutti.strategy.Strategies.parameterServer;
import static dev.tutti.train.Fit.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.Team;
import dev.tutti.data.Dataset;
import dev.tutti.io.TensorFile;
import dev.tutti.strategy.Blobs;
import dev.tutti.strategy.Members;
import dev.tutti.strategy.Weights;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.strategy.ps.SnapshotGate.CutMarks;
import dev.tutti.tensor.Scope;
import dev.tutti.train.Fit;
import dev.tutti.train.callback.Callback;
import dev.tutti.train.callback.Run;
import dev.tutti.train.checkpoint.SnapshotFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots hold the same pushes on all shards, and training goes on from them when all copies of a shard are lost. */
@Timeout(120)
class ShardSnapshotsTest {
    private static final int WORKERS = 3;
    private static final String RUN = "the run";

    @TempDir
    private Path folder;

    private ShardPolicy policy() {
        return new ShardPolicy(ReplicationTest.CUTS.size(), false, folder.toString(), 0.02, RUN);
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the deadline").isLessThan(deadline);
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static List<Float> values(SnapshotFolder.Snapshot snapshot) {
        List<Float> all = new ArrayList<>();
        try (Scope scope = Scope.open()) {
            for (TensorFile part : snapshot.parts()) {
                for (float value :
                        ShardSnapshots.read(part).body().get(0).toArray().floats()) {
                    all.add(value);
                }
            }
        }
        return all;
    }

    /** A push adds the same to every value of every shard, so any snapshot that is no mixture holds one number. */
    @Test
    void everySnapshotHoldsTheSamePushesOfAllShards() {
        AtomicInteger looked = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean killed = new AtomicBoolean();
        List<List<Float>> found = new ArrayList<>();
        try (ServerCluster cluster = new ServerCluster(WORKERS, 3)) {
            List<float[]> results = cluster.run((number, place) -> {
                try (Team team = place.assemble(null)) {
                    team.meet(0);
                    ShardClient client = new ShardClient(team, ReplicationTest.CUTS, Duration.ofSeconds(30));
                    if (number == 0) {
                        ReplicationTest.setUp(team, 1, List.of(), policy());
                    }
                    team.collectives().barrier("set up");
                    int pushes = 0;
                    while (!ended.get()) {
                        pushes++;
                        ReplicationTest.push(team, client, new WorkerClock(1, 0, WORKERS, number, pushes), number + 1);
                        if (number == 0 && pushes % 20 == 0) {
                            new SnapshotFolder(folder).newestOf(RUN).ifPresent(snapshot -> {
                                found.add(values(snapshot));
                                looked.incrementAndGet();
                            });
                            if (looked.get() == 3
                                    && killed.compareAndSet(
                                            false,
                                            true)) { // the first shard's primary is lost, perhaps during a snapshot
                                cluster.kill(ReplicationTest.first(team, 0));
                            }
                            boolean wentOn = looked.get() >= 6
                                    && !found.get(found.size() - 1).equals(found.get(0));
                            ended.set(wentOn || pushes > 20_000);
                        }
                    }
                    float sum = (number + 1) * pushes;
                    team.collectives().barrier("pushed");
                    float[] all = ReplicationTest.values(client);
                    team.collectives().barrier("read");
                    return new float[] {sum, all[0], all[all.length - 1]};
                }
            });
            float sum = results.get(0)[0] + results.get(1)[0] + results.get(2)[0];
            results.forEach(each -> assertThat(new float[] {each[1], each[2]}).containsOnly(sum));
        }
        assertThat(found).hasSizeGreaterThanOrEqualTo(6).allSatisfy(values -> {
            assertThat(values).hasSize(ReplicationTest.LENGTH);
            assertThat(values.stream().distinct()).hasSize(1);
        });
        assertThat(found.get(found.size() - 1)).isNotEqualTo(found.get(0));
    }

    private static List<Members.Result> trainAndLoseAServer(ParameterServer strategy, BooleanSupplier ready) {
        Dataset data = Blobs.data(99).batch(24);
        try (ServerCluster cluster = new ServerCluster(2, 2)) {
            AtomicBoolean happened = new AtomicBoolean();
            Callback disturbing = new Callback() {
                @Override
                public void step(Run run) {
                    if (run.step() >= 7 && happened.compareAndSet(false, true)) {
                        await(ready);
                        cluster.startServer("server-9");
                        cluster.kill("server-0");
                    }
                }
            };
            Fit fit = epochs(4).with(strategy.servers(2)).callbacks(disturbing);
            List<Members.Result> results =
                    cluster.run((number, place) -> Members.Result.of(Blobs.trainer(), data, fit.on(place)));
            assertThat(happened).isTrue();
            return results;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void trainingGoesOnFromASnapshotWhenAllCopiesOfAShardAreLost(boolean synchronous) {
        ParameterServer agreement =
                synchronous ? parameterServer() : parameterServer().staleness(2);
        List<Members.Result> results = trainAndLoseAServer(
                agreement.snapshots(folder, Duration.ofMillis(20)), () -> hasFile(".manifest.json"));
        Weights.ofAll(results);
        assertThat(results.get(0).history().epochs()).hasSize(4);
        assertThat(results.get(0).history().last().training().loss())
                .isLessThan(results.get(0).history().epochs().get(0).training().loss());
    }

    private boolean hasFile(String end) {
        try (var files = Files.list(folder)) {
            return files.anyMatch(file -> file.toString().endsWith(end));
        } catch (IOException e) {
            return false;
        }
    }

    /** Snapshots that never come in time do not help: the failure names the folder. */
    @Test
    void withoutASnapshotTheLossIsNamed() {
        assertThatThrownBy(() -> trainAndLoseAServer(
                        parameterServer().snapshots(folder.resolve("none"), Duration.ofHours(1)), () -> true))
                .hasMessageContaining("a shard of the parameters was lost with its servers")
                .hasMessageContaining("has no snapshot of it");
    }

    @Test
    void marksTellWhatBelongsToASnapshot() {
        CutMarks one = new CutMarks(Map.of("push a", 3L), 0);
        CutMarks two = new CutMarks(Map.of("push a", 2L, "push b", 5L), 4);
        CutMarks both = CutMarks.furthest(List.of(one, two));
        assertThat(both).isEqualTo(new CutMarks(Map.of("push a", 3L, "push b", 5L), 4));
        assertThat(both.isReachedBy(one)).isFalse();
        assertThat(both.isReachedBy(both)).isTrue();
    }
}
