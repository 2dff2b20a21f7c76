package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.cluster.launch.TrainingCluster;
import dev.tutti.comm.Team;
import dev.tutti.optim.Optimizers;
import dev.tutti.strategy.ps.ParameterClient;
import dev.tutti.table.FirstValues;
import dev.tutti.table.TableSpec;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Pushes of known values to server JVMs, of which some are killed or stopped on the way: what was acknowledged is there, once. {@code
 * -Dtutti.pushes=10000} makes more of them than the usual number.
 */
@ExtendWith(HardAlarm.class)
class ParameterServerFaultsTest {
    private static final int PUSHES = Integer.getInteger("tutti.pushes", 1200);
    private static final int WORKERS = 3;
    private static final int LENGTH = 2000;
    private static final TableSpec TABLE =
            new TableSpec("rows", 4, new FirstValues(FirstValues.Distribution.CONSTANT, 0), 1);

    private interface Fault {
        /** Happens once, while pushes go on. */
        void strike(TrainingCluster cluster, ParameterClient client);
    }

    /**
     * What is pushed to.
     *
     * @param servers at the start
     * @param restarts lost ones that are replaced
     * @param shards of the vector
     * @param backups of each shard
     */
    private record Setting(int servers, int restarts, int shards, int backups) {}

    private static ParameterClient client(Team team, int number, int shards) {
        return new ParameterClient(team, "pusher-" + number, LENGTH, shards, List.of(TABLE), Duration.ofSeconds(60));
    }

    /** What the vector and a row hold when each of the workers has pushed its number so often. */
    private static List<float[]> after(Setting setting, Map<Integer, Fault> faults) {
        try (TrainingCluster cluster = TrainingCluster.of(Map.of("server", setting.servers()))
                .workers(WORKERS)
                .restarts(setting.restarts())
                .start()) {
            ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
            try {
                AtomicInteger pushed = new AtomicInteger();
                List<Future<List<float[]>>> running = new ArrayList<>();
                for (int i = 0; i < WORKERS; i++) {
                    int number = i;
                    running.add(threads.submit(() -> push(cluster, setting, number, pushed, faults)));
                }
                List<float[]> last = List.of();
                for (Future<List<float[]>> each : running) {
                    last = each.get(240, TimeUnit.SECONDS);
                }
                return last;
            } catch (ExecutionException | TimeoutException | InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static List<float[]> push(
            TrainingCluster cluster, Setting setting, int number, AtomicInteger pushed, Map<Integer, Fault> faults) {
        try (Team team = cluster.join("worker-" + number);
                Scope scope = Scope.open()) {
            team.meet(0);
            ParameterClient client = client(team, number, setting.shards());
            if (number == 0) {
                Tensor zeros = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
                client.setUp(zeros, Optimizers.sgd(1), setting.backups(), setting.servers());
            }
            team.collectives().barrier("set up");
            Tensor amount = Tensor.full(Shape.of(LENGTH), -(number + 1), DType.FLOAT32);
            float[] rows = new float[TABLE.width() * 2];
            Arrays.fill(rows, -(number + 1));
            for (int i = 0; i < PUSHES / WORKERS; i++) {
                client.push(amount, 1);
                client.pushRows(TABLE, new long[] {5, 1_000_000_007}, rows, 1);
                Fault fault = faults.get(pushed.incrementAndGet());
                if (fault != null) {
                    fault.strike(cluster, client);
                }
            }
            team.collectives().barrier("pushed");
            Tensor values = Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32);
            client.pull(values);
            float[] kept = client.rows(TABLE, new long[] {5, 1_000_000_007});
            team.collectives().barrier("read");
            return List.of(values.toArray().floats(), kept);
        }
    }

    private static void assertAllThereOnce(List<float[]> result) {
        int each = PUSHES / WORKERS;
        float sum = each * (1 + 2 + 3);
        assertThat(result.get(0)).containsOnly(sum);
        assertThat(result.get(1)).containsOnly(sum);
    }

    /** Kills the primaries of shards, one right after the other. */
    private static void kill(TrainingCluster cluster, ParameterClient client, int... shards) {
        List<ProcessHandle> victims = Arrays.stream(shards)
                .mapToObj(shard -> client.primary(shard).orElseThrow())
                .map(primary -> cluster.process(primary).orElseThrow())
                .toList();
        victims.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void serversThatAreKilledLoseAndDoubleNothing() {
        assertAllThereOnce(after(
                new Setting(3, 1, 2, 2),
                Map.of(
                        PUSHES / 3, (cluster, client) -> kill(cluster, client, 0),
                        2 * PUSHES / 3, (cluster, client) -> kill(cluster, client, 1))));
    }

    @Test
    void twoOfThreeServersThatAreKilledAtOnceLoseAndDoubleNothing() {
        Map<Integer, Fault> both = Map.of(PUSHES / 2, (cluster, client) -> kill(cluster, client, 0, 1));
        assertAllThereOnce(after(new Setting(3, 0, 2, 2), both));
    }

    /** The other half: with one copy less the same two take a shard with them, and the workers are told which. */
    @Test
    void twoOfThreeServersTakeAShardOfOneBackupWithThem() {
        Map<Integer, Fault> both = Map.of(PUSHES / 2, (cluster, client) -> kill(cluster, client, 0, 1));
        assertThatThrownBy(() -> after(new Setting(3, 0, 3, 1), both))
                .hasStackTraceContaining("all copies of shard")
                .hasStackTraceContaining("are lost");
    }

    /** A server joins and is given shards; the one that gives is killed as soon as the new one has a copy. */
    @Test
    void aServerThatIsKilledWhileItsShardsMoveLosesAndDoublesNothing() {
        AtomicBoolean moved = new AtomicBoolean();
        assertAllThereOnce(after(new Setting(2, 0, 4, 1), Map.of(PUSHES / 4, (cluster, client) -> {
            cluster.add("server", "server-9");
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            boolean given = false;
            while (!given && System.nanoTime() < deadline) { // the other workers go on pushing
                given = IntStream.range(0, client.shards())
                        .anyMatch(shard -> client.holders(shard).contains("server-9"));
                pause();
            }
            cluster.process("server-0").orElseThrow().destroyForcibly();
            moved.set(given);
        })));
        assertThat(moved).as("the new server was given a shard").isTrue();
    }

    /** A primary that is stopped is given up; when it goes on it is refused, and changes nothing. */
    @Test
    void aPrimaryThatStandsStillAndGoesOnLaterLosesAndDoublesNothing() {
        assertAllThereOnce(after(new Setting(3, 0, 2, 2), Map.of(PUSHES / 2, (cluster, client) -> {
            String primary = client.primary(0).orElseThrow();
            long process = cluster.process(primary).orElseThrow().pid();
            signal("-STOP", process);
            Thread later = new Thread(() -> {
                long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
                while (client.primary(0).filter(primary::equals).isPresent() && System.nanoTime() < deadline) {
                    pause();
                }
                signal("-CONT", process);
            });
            later.setDaemon(true);
            later.start();
        })));
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void signal(String signal, long process) {
        try {
            new ProcessBuilder("kill", signal, Long.toString(process))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
