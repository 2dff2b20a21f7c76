package dev.tutti.strategy.ps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Team;
import dev.tutti.optim.Optimizers;
import dev.tutti.strategy.ps.ShardBalance.Move;
import dev.tutti.strategy.ps.ShardBalance.ServerLoad;
import dev.tutti.strategy.ps.ShardBalance.ShardLoad;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shards move to servers that join and away from hot ones, while pushes go on: nothing that was acknowledged is lost or doubled. */
@Timeout(120)
class ShardMoveTest {
    private static final int WORKERS = 2;
    private static final int SHARDS = 4;
    private static final int LENGTH = 128;
    private static final long LEAST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long MOST_NANOS = Duration.ofSeconds(40).toNanos();

    private static List<Holding> table(Team team) {
        return team.ownership().all(ShardSnapshot.THINGS);
    }

    private static long primaries(Team team, String server) {
        return table(team).stream().filter(held -> held.isFirst(server)).count();
    }

    /** Kills a server in the middle of a move, or none; pushes go on until shards are spread again. */
    @ParameterizedTest
    @ValueSource(strings = {"", "server-0", "server-9"})
    void aServerThatJoinsGetsShardsAndNoPushIsLostOrDoubled(String victim) {
        AtomicBoolean ended = new AtomicBoolean();
        try (ServerCluster cluster = new ServerCluster(WORKERS, 2)) {
            List<float[]> results = cluster.run((number, place) -> {
                try (Team team = place.assemble(null);
                        Scope scope = Scope.open()) {
                    team.meet(0);
                    ParameterClient client = new ParameterClient(
                            team, "pusher-" + number, LENGTH, SHARDS, List.of(), Duration.ofSeconds(30));
                    if (number == 0) {
                        client.setUp(Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32), Optimizers.sgd(1), 1, 2);
                        assertThat(primaries(team, "server-0")).isEqualTo(2);
                    }
                    team.collectives().barrier("set up");
                    Tensor amount = Tensor.full(Shape.of(LENGTH), -(number + 1), DType.FLOAT32);
                    Tensor seen = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
                    int pushes = 0;
                    boolean killed = victim.isEmpty();
                    long began = System.nanoTime();
                    while (!ended.get()) {
                        pushes++;
                        if (number == 0) {
                            client.push(amount, 1);
                        } else {
                            client.pushAndPull(amount, 1, seen);
                            float least = seen.toArray().floats()[LENGTH - 1];
                            assertThat(least).as("its own pushes").isGreaterThanOrEqualTo((number + 1) * pushes);
                        }
                        if (number == 0 && pushes == 20) {
                            cluster.startServer("server-9");
                        }
                        if (number == 0 && !killed && isAmongHolders(team, "server-9")) {
                            cluster.kill(victim); // a copy is there, and the shard is handed over or about to be
                            killed = true;
                        }
                        if (number == 0 && killed && System.nanoTime() - began > LEAST_NANOS) {
                            boolean spread = victim.equals("server-9") || primaries(team, "server-9") > 0;
                            ended.set(spread || System.nanoTime() - began > MOST_NANOS);
                        }
                    }
                    team.collectives().barrier("pushed");
                    Tensor values = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
                    client.pull(values);
                    float[] all = values.toArray().floats();
                    boolean moved = primaries(team, "server-9") > 0;
                    team.collectives().barrier("read");
                    assertThat(moved).isEqualTo(!victim.equals("server-9"));
                    assertThat(all).containsOnly(all[0]);
                    return new float[] {(number + 1) * pushes, all[0]};
                }
            });
            float sum = results.get(0)[0] + results.get(1)[0];
            results.forEach(each -> assertThat(each[1]).isEqualTo(sum));
        }
    }

    /** There are no backups: what it holds is lost unless it gives it away. */
    @Test
    void aServerThatLeavesGivesItsShardsAwayFirst() {
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            cluster.run((number, place) -> {
                try (Team team = place.assemble(null);
                        Scope scope = Scope.open()) {
                    team.meet(0);
                    ParameterClient client =
                            new ParameterClient(team, "pusher", LENGTH, SHARDS, List.of(), Duration.ofSeconds(30));
                    client.setUp(Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32), Optimizers.sgd(1), 0, 2);
                    assertThat(primaries(team, "server-1")).isEqualTo(2);
                    Tensor amount = Tensor.full(Shape.of(LENGTH), -1, DType.FLOAT32);
                    int pushes = 0;
                    long began = System.nanoTime();
                    while (team.members("server").size() > 1 && System.nanoTime() - began < MOST_NANOS) {
                        client.push(amount, 1);
                        pushes++;
                        if (pushes == 20) {
                            cluster.leave("server-1");
                        }
                    }
                    client.push(amount, 1);
                    Tensor values = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
                    client.pull(values);
                    assertThat(team.members("server")).hasSize(1);
                    assertThat(primaries(team, "server-0")).isEqualTo(SHARDS);
                    assertThat(values.toArray().floats()).containsOnly(pushes + 1f);
                    return true;
                }
            });
        }
    }

    private static boolean isAmongHolders(Team team, String server) {
        return table(team).stream().anyMatch(held -> held.holders().contains(server));
    }

    private static ShardLoad load(long bytes, double busy, boolean fixed) {
        return new ShardLoad(bytes, busy, fixed);
    }

    @Test
    void theServerThatCarriesMostGivesWhatLeavesBothWithLess() {
        ServerLoad two = new ServerLoad(Map.of(0, load(100, 0, false), 1, load(100, 0, false)));
        ServerLoad one = new ServerLoad(Map.of(2, load(100, 0, false)));
        ServerLoad none = new ServerLoad(Map.of());
        assertThat(ShardBalance.choose("a", Map.of("a", two, "b", none)).map(Move::to))
                .contains("b");
        assertThat(ShardBalance.choose("b", Map.of("a", two, "b", none))).isEmpty();
        assertThat(ShardBalance.choose("a", Map.of("a", two, "b", one))).isEmpty();
        assertThat(ShardBalance.choose("a", Map.of("a", one, "b", none))).isEmpty();
        ServerLoad pinned = new ServerLoad(Map.of(0, load(100, 0, true), 1, load(100, 0, true)));
        assertThat(ShardBalance.choose("a", Map.of("a", pinned, "b", none))).isEmpty();
    }

    /** Bytes are even; one server is busy for most of its time. */
    @Test
    void aHotServerGivesAShardAwayAndAWarmOneDoesNot() {
        ServerLoad idle = new ServerLoad(Map.of(2, load(100, 0.01, false), 3, load(100, 0.01, false)));
        ServerLoad hot = new ServerLoad(Map.of(0, load(100, 0.7, false), 1, load(100, 0.25, false)));
        ServerLoad warm = new ServerLoad(Map.of(0, load(100, 0.2, false), 1, load(100, 0.1, false)));
        assertThat(ShardBalance.choose("a", Map.of("a", hot, "b", idle))).contains(new Move(1, "b"));
        assertThat(ShardBalance.choose("a", Map.of("a", warm, "b", idle))).isEmpty();
    }
}
