package dev.tutti.strategy.ps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.Range;
import dev.tutti.array.Shape;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.Messages;
import dev.tutti.comm.Ownership;
import dev.tutti.comm.Team;
import dev.tutti.optim.Optimizers;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary that hands its shard over while the other server is lost: it is the primary wherever the table says so. */
@Timeout(30)
class HandOverTest {
    private static final int LENGTH = 16;
    private static final Member SELF = new Member("server-0", "here", "server");
    private static final Member TARGET = new Member("server-9", "here", "server");
    private static final String THING = ShardSnapshot.thing(0);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BackupLinks links = links(threads);

    /** The table of holders, in which something happens while the shard is handed over. */
    private static final class Table implements Ownership {
        private Holding now;
        private Runnable atHandOver = () -> {};

        @Override
        public synchronized Holding claim(String thing) {
            now = new Holding(thing, 1, List.of(SELF.id()));
            return now;
        }

        @Override
        public Holding assign(Holding held, List<String> holders) {
            Holding next = new Holding(THING, held.term() + (holders.get(0).equals(SELF.id()) ? 0 : 1), holders);
            synchronized (this) {
                now = next;
            }
            if (!next.isFirst(SELF.id())) {
                atHandOver.run();
            }
            return next;
        }

        synchronized void set(long term, Member... holders) {
            now = new Holding(
                    THING, term, List.of(holders).stream().map(Member::id).toList());
        }

        @Override
        public synchronized Optional<Holding> of(String thing) {
            return Optional.ofNullable(now);
        }

        @Override
        public synchronized List<Holding> all(String prefix) {
            return List.of(now);
        }
    }

    /** Servers that take every copy. */
    private static BackupLinks links(ExecutorService threads) {
        Messages messages = (Messages) Proxy.newProxyInstance(
                HandOverTest.class.getClassLoader(),
                new Class<?>[] {Messages.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "self" -> SELF;
                    case "ask" -> CompletableFuture.completedFuture(Message.of(""));
                    case "isClosed" -> false;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        Team team = (Team) Proxy.newProxyInstance(
                HandOverTest.class.getClassLoader(), new Class<?>[] {Team.class}, (self, method, arguments) -> {
                    if (method.getName().equals("members")) {
                        return List.of(SELF, TARGET);
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
        return new BackupLinks(team, messages, threads);
    }

    private HostedShard shard(Table table) {
        HostedShard shard = new HostedShard(THING, table, links);
        ShardSnapshot snapshot = ShardSnapshot.first(
                0, new Range(0, LENGTH), List.of(), Optimizers.sgd(1), 0, 0, 0, List.of(), List.of());
        try (Scope scope = Scope.open()) {
            shard.setUp(snapshot, ShardRequests.message(snapshot, Tensor.zeros(Shape.of(LENGTH), DType.FLOAT32)))
                    .join();
        }
        return shard;
    }

    private boolean handOver(HostedShard shard) throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return shard.handOver(TARGET).get(10, TimeUnit.SECONDS);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void theOtherIsThePrimaryWhenAllGoesWell() throws Exception {
        Table table = new Table();
        try (HostedShard shard = shard(table)) {
            assertThat(handOver(shard)).isTrue();
            assertThat(shard.policyOfPrimary()).isEmpty();
            assertThat(table.now).isEqualTo(new Holding(THING, 2, List.of(TARGET.id(), SELF.id())));
        }
    }

    /** The coordinator leaves the lost server out of the holders, under the same term, and refuses to make it the first. */
    @Test
    void whereTheOtherIsLostBeforeItIsNamedThisOneStaysThePrimary() throws Exception {
        Table table = new Table();
        try (HostedShard shard = shard(table)) {
            table.atHandOver = () -> {
                table.set(1, SELF);
                throw new GroupChangedException(TARGET + " is gone");
            };
            assertThat(handOver(shard)).isFalse();
            assertThat(shard.policyOfPrimary())
                    .as("it is the primary, as the table says")
                    .isPresent();
        }
    }

    /** It is called back under a later term before the thread that has handed it over goes on. */
    @Test
    void whereTheOtherIsLostRightAfterwardsThisOneIsThePrimaryAgain() throws Exception {
        Table table = new Table();
        try (HostedShard shard = shard(table)) {
            table.atHandOver = () -> {
                table.set(3, SELF);
                shard.promote(table.of(THING));
            };
            assertThat(handOver(shard)).isFalse();
            assertThat(shard.policyOfPrimary())
                    .as("it is the primary, as the table says")
                    .isPresent();
        }
    }
}
