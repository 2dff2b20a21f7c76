package dev.tutti.strategy.ps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Message;
import dev.tutti.comm.Team;
import dev.tutti.optim.Optimizers;
import dev.tutti.strategy.ps.ShardRequests.Change;
import dev.tutti.strategy.ps.ShardRequests.Contents;
import dev.tutti.strategy.ps.ShardRequests.Pull;
import dev.tutti.strategy.ps.ShardRequests.Push;
import dev.tutti.strategy.ps.ShardRequests.WorkerClock;
import dev.tutti.strategy.ps.ShardSnapshot.ShardPolicy;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pushes of known values: what is acknowledged is there, once, whichever server is lost; and no worker gets ahead of its bound. */
@Timeout(90)
class ReplicationTest {
    private static final int WORKERS = 3;
    static final int LENGTH = 40;
    static final List<Range> CUTS = ShardPlacement.equalParts(LENGTH, 2);

    /** With gradients of -1 and a rate of 1 every push adds 1 to every value; floats hold such sums exactly. */
    private static void setUp(Team team, int backups) {
        setUp(team, backups, List.of());
    }

    static void setUp(Team team, int backups, List<ShardTables.Head> tables) {
        setUp(team, backups, tables, ShardPolicy.NONE);
    }

    static void setUp(Team team, int backups, List<ShardTables.Head> tables, ShardPolicy policy) {
        for (int shard = 0; shard < CUTS.size(); shard++) {
            ShardSnapshot snapshot = ShardSnapshot.first(
                            shard, CUTS.get(shard), List.of(), Optimizers.sgd(1), backups, 0, 0, List.of(), tables)
                    .policy(policy);
            try (Scope scope = Scope.open()) {
                Tensor zeros = Tensor.zeros(Shape.of(CUTS.get(shard).length()), DType.FLOAT32);
                team.messages()
                        .ask(
                                team.members("server").get(shard),
                                ShardServer.SET_UP,
                                ShardRequests.message(snapshot, zeros),
                                Duration.ofSeconds(20))
                        .join()
                        .close();
            }
        }
    }

    static void push(Team team, ShardClient client, WorkerClock turn, float amount) {
        try (Scope scope = Scope.open()) {
            beginPush(team, client, turn, amount).await().forEach(Message::close);
        }
    }

    private static ShardClient.Pending beginPush(Team team, ShardClient client, WorkerClock turn, float amount) {
        return client.begin(
                BackupLinks.topic(Change.PUSH),
                shard -> ShardClient.Request.of(
                        new Push(
                                shard,
                                team.messages().self().id(),
                                turn.clock(),
                                0,
                                1,
                                false,
                                List.of(new Range(0, LENGTH)),
                                turn,
                                Contents.GRADIENTS,
                                0,
                                0,
                                Push.NO_VALUES),
                        Tensor.full(Shape.of(CUTS.get(shard).length()), -amount, DType.FLOAT32)));
    }

    static float[] values(ShardClient client) {
        float[] all = new float[LENGTH];
        try (Scope scope = Scope.open()) {
            List<Message> answers =
                    client.all(ShardServer.PULL, shard -> ShardClient.Request.of(new Pull(shard, 0, null, 0)));
            for (int shard = 0; shard < answers.size(); shard++) {
                float[] part = answers.get(shard).body().get(0).toArray().floats();
                System.arraycopy(part, 0, all, (int) CUTS.get(shard).from(), part.length);
            }
        }
        return all;
    }

    @Test
    void whatWasAcknowledgedIsThereOnceAlthoughServersAreKilled() {
        int pushes = 200;
        AtomicInteger pushed = new AtomicInteger();
        try (ServerCluster cluster = new ServerCluster(WORKERS, 3)) {
            List<float[]> results = cluster.run((number, place) -> {
                try (Team team = place.assemble(null)) {
                    team.meet(0);
                    ShardClient client = new ShardClient(team, CUTS, Duration.ofSeconds(30));
                    if (number == 0) {
                        setUp(team, 2);
                    }
                    team.collectives().barrier("set up");
                    for (int i = 1; i <= pushes; i++) {
                        push(team, client, new WorkerClock(1, 0, WORKERS, number, i), number + 1);
                        int now = pushed.incrementAndGet();
                        if (now == pushes) {
                            cluster.kill(first(team, 0));
                        } else if (now == 3 * pushes / 2) {
                            cluster.startServer("server-9");
                        } else if (now == 2 * pushes) {
                            cluster.kill(first(team, 1));
                        }
                    }
                    team.collectives().barrier("pushed");
                    float[] all = values(client);
                    team.collectives().barrier("read");
                    return all;
                }
            });
            float sum = pushes * (1 + 2 + 3);
            results.forEach(all -> assertThat(all).containsOnly(sum));
        }
    }

    static String first(Team team, int shard) {
        return team.ownership()
                .of(ShardSnapshot.thing(shard))
                .flatMap(Holding::first)
                .orElseThrow();
    }

    /** What it asked of its backups fails with its own connections, and says nothing about them. */
    @Test
    void aServerThatEndsDoesNotCallItsBackupsLost() {
        try (ServerCluster cluster = new ServerCluster(1, 3)) {
            List<List<String>> holders = cluster.run((number, place) -> {
                try (Team team = place.assemble(null);
                        Scope scope = Scope.open()) {
                    team.meet(0);
                    setUp(team, 2);
                    ShardClient client = new ShardClient(team, CUTS, Duration.ofSeconds(5));
                    for (int i = 1; i <= 100; i++) { // some of them are on their way to the backups
                        var unused = beginPush(team, client, new WorkerClock(1, 0, 1, 0, i), 1);
                    }
                    cluster.closeMessages(first(team, 0));
                    pause(300);
                    return team.ownership()
                            .of(ShardSnapshot.thing(0))
                            .orElseThrow()
                            .holders();
                }
            });
            assertThat(holders.get(0)).hasSize(3);
        }
    }

    /** Without backups the loss of a server bites: its shard has no holder left. */
    @Test
    void withoutBackupsAShardIsLostWithItsServer() {
        try (ServerCluster cluster = new ServerCluster(1, 2)) {
            List<List<String>> left = cluster.run((number, place) -> {
                try (Team team = place.assemble(null)) {
                    team.meet(0);
                    setUp(team, 0);
                    push(team, new ShardClient(team, CUTS, Duration.ofSeconds(5)), new WorkerClock(1, 0, 1, 0, 1), 1);
                    cluster.kill("server-0");
                    return team.ownership()
                            .of(ShardSnapshot.thing(0))
                            .orElseThrow()
                            .holders();
                }
            });
            assertThat(left.get(0)).isEmpty();
        }
    }

    /** An event of a worker: it begins a batch at a clock, or has pushed it. */
    private record Event(int worker, long clock, boolean begins) {}

    @Test
    void noWorkerBeginsFurtherAheadThanTheBound() {
        for (long bound : new long[] {0, 2}) {
            Queue<Event> history = new ConcurrentLinkedQueue<>();
            try (ServerCluster cluster = new ServerCluster(WORKERS, 2)) {
                cluster.run((number, place) -> {
                    try (Team team = place.assemble(null)) {
                        team.meet(0);
                        ShardClient client = new ShardClient(team, CUTS, Duration.ofSeconds(30));
                        if (number == 0) {
                            setUp(team, 0);
                        }
                        team.collectives().barrier("set up");
                        work(team, client, number, bound, history);
                        team.collectives().barrier("the end");
                        return true;
                    }
                });
            }
            assertThat(furthestAhead(history)).isEqualTo(bound);
        }
    }

    private static void work(Team team, ShardClient client, int number, long bound, Queue<Event> history) {
        Random random = new Random(number);
        for (long clock = 0; clock < 40; clock++) {
            WorkerClock turn = new WorkerClock(1, 0, WORKERS, number, clock);
            try (Scope scope = Scope.open()) {
                client.tell(ShardServer.PULL, shard -> ShardClient.Request.of(new Pull(shard, 0, turn, bound)));
            }
            history.add(new Event(number, clock, true));
            pause(random.nextInt(number == 2 ? 8 : 2)); // one is slower
            history.add(
                    new Event(number, clock + 1, false)); // before the push: what a server knows is never ahead of this
            push(team, client, new WorkerClock(1, 0, WORKERS, number, clock + 1), 1);
        }
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The most clocks that a worker, when it began, was ahead of the slowest. */
    private static long furthestAhead(Queue<Event> history) {
        Map<Integer, Long> pushed = new ConcurrentHashMap<>(Map.of(0, 0L, 1, 0L, 2, 0L));
        long furthest = 0;
        for (Event event : history) {
            if (event.begins()) {
                long slowest = pushed.values().stream()
                        .mapToLong(Long::longValue)
                        .min()
                        .orElseThrow();
                furthest = Math.max(furthest, event.clock() - slowest);
            } else {
                pushed.put(event.worker(), event.clock());
            }
        }
        return furthest;
    }
}
