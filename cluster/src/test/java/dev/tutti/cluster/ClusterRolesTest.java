package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RoleRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.Collectives;
import dev.tutti.comm.FencedException;
import dev.tutti.comm.Group;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRefusedException;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.connection.Connections;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Members of several roles as threads of one JVM, with a real coordinator: messages, sub-groups, and things that are held. */
@Timeout(60)
class ClusterRolesTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<ClusterTeam> teams = new ArrayList<>();
    private CoordinatorServer server;

    @AfterEach
    void close() {
        teams.forEach(ClusterTeam::close);
        if (server != null) {
            server.close();
        }
        threads.shutdownNow();
    }

    private void start(MembershipRules rules) {
        Timeouts patience =
                Timeouts.DEFAULT.heartbeats(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(15));
        server = CoordinatorServer.start(ServerSettings.of(rules.patience(patience)));
    }

    private ClusterTeam join(String role, String id) {
        ClusterTeam team = ClusterTeam.join(
                server.address(), JoinRequest.of(role, id).process("process of " + id), 1, Connections::open);
        teams.add(team);
        return team;
    }

    private <T> List<T> all(List<ClusterTeam> members, Function<ClusterTeam, T> work) throws Exception {
        List<Future<T>> running = new ArrayList<>();
        for (ClusterTeam member : members) {
            running.add(threads.submit(() -> work.apply(member)));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> each : running) {
            results.add(each.get(30, TimeUnit.SECONDS));
        }
        return results;
    }

    @Test
    void workersAskServersAndALostServerDisturbsNoWorker() throws Exception {
        start(MembershipRules.of(2).role("server", RoleRules.of(2)));
        List<ClusterTeam> workers = List.of(join("worker", "worker-0"), join("worker", "worker-1"));
        ClusterTeam first = join("server", "server-0");
        first.messages().serve("echo", MessageHandler.of(MessageRequest::message));
        first.messages().serve("never", request -> new CompletableFuture<>());
        all(workers, team -> team.meet(0));
        Member at = workers.get(0).members("server").get(0);
        assertThat(at).isEqualTo(new Member("server-0", JoinRequest.thisHost(), "server"));
        assertThat(workers.get(0)
                        .messages()
                        .ask(at, "echo", Message.of("hello"), LONG)
                        .join()
                        .text())
                .isEqualTo("hello");
        CompletableFuture<Message> waiting = workers.get(1).messages().ask(at, "never", Message.of(""), LONG);
        long begin = System.nanoTime();
        server.exited("process of server-0", "was killed by signal 9");
        Throwable failure = catchThrowable(waiting::join).getCause();
        assertThat(failure).isInstanceOf(MemberLostException.class).hasMessageContaining("server-0");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
        ClusterTeam second = join("server", "server-1");
        second.messages().serve("echo", MessageHandler.of(MessageRequest::message));
        Member now = workers.get(1).members("server").get(0);
        assertThat(now.id()).isEqualTo("server-1");
        assertThat(workers.get(1)
                        .messages()
                        .ask(now, "echo", Message.of("again"), LONG)
                        .join()
                        .text())
                .isEqualTo("again");
        assertThat(catchThrowable(() -> workers.get(1)
                                .messages()
                                .ask(at, "echo", Message.of(""), LONG)
                                .join())
                        .getCause())
                .isInstanceOf(MemberLostException.class);
        workers.forEach(ClusterTeam::check);
        all(workers, team -> {
            team.collectives().barrier("after all that");
            return team.group().generation();
        });
        assertThat(workers.get(0).group().generation()).isEqualTo(1);
    }

    @Test
    void subGroupsSumByThemselvesAndEndWithTheirGroup() throws Exception {
        start(MembershipRules.of(4));
        List<ClusterTeam> members = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            members.add(join("worker", "worker-" + i));
        }
        all(members, team -> team.meet(0));
        List<Double> rows = all(members, team -> sum(team, rows(team)));
        assertThat(rows).containsExactly(1.0, 1.0, 5.0, 5.0);
        List<Double> columns = all(members, team -> sum(team, columns(team)));
        assertThat(columns).containsExactly(2.0, 4.0, 2.0, 4.0);
        Collectives opened = members.get(0).collectives(rows(members.get(0)));
        assertThat(members.get(0).collectives(rows(members.get(0)))).isSameAs(opened);
        // Of the first row nobody is lost: it ends all the same.
        Future<?> waiting = threads.submit(() -> sum(members.get(0), rows(members.get(0))));
        server.exited("process of worker-3", "was killed");
        assertThatThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(MemberLostException.class)
                .hasMessageContaining("worker-3");
        List<ClusterTeam> left = members.subList(0, 3);
        Collectives old = members.get(0).collectives();
        all(left, team -> team.meet(1));
        assertThat(members.get(0).collectives()).isNotSameAs(old);
        assertThat(all(left, team -> sum(team, team.group().sub(List.of(2, 0, 1)))))
                .containsOnly(3.0);
        Group stale = new Group(1, 0, left.get(0).group().members());
        assertThatThrownBy(() -> left.get(0).collectives(stale)).hasMessageContaining("expected a sub-group");
        assertThatThrownBy(() -> left.get(0).group().sub(List.of(1, 2))).hasMessageContaining("this member's");
    }

    private static Group rows(ClusterTeam team) {
        int row = team.group().rank() / 2;
        return team.group().sub(List.of(2 * row, 2 * row + 1));
    }

    private static Group columns(ClusterTeam team) {
        int column = team.group().rank() % 2;
        return team.group().sub(List.of(column, column + 2));
    }

    private static double sum(ClusterTeam team, Group sub) {
        try (Scope scope = Scope.open()) {
            Tensor value = Tensor.of(new float[] {team.group().rank()}, 1);
            team.collectives(sub).allReduce("rank", value);
            return value.item();
        }
    }

    @Test
    void aThingIsHeldByOneAtATimeAndLateHoldersAreFenced() throws Exception {
        start(MembershipRules.of(1));
        ClusterTeam first = join("server", "server-0");
        ClusterTeam second = join("server", "server-1");
        ClusterTeam worker = join("worker", "worker-0");
        Holding held = first.ownership().claim("shard-0");
        assertThatThrownBy(() -> second.ownership().claim("shard-0"))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining("server-0");
        held = first.ownership().assign(held, List.of("server-0", "server-1"));
        AtomicLong term = new AtomicLong(held.term());
        first.messages()
                .serve(
                        "push",
                        MessageHandler.of(request -> Message.of("applied")).underTerm(term::get));
        Member at = worker.members("server").get(0);
        assertThat(worker.messages()
                        .ask(at, "push", Message.of("").term(held.term()), LONG)
                        .join()
                        .text())
                .isEqualTo("applied");
        Holding next = first.ownership().promote(held, "server-1");
        assertThat(next).isEqualTo(new Holding("shard-0", 2, List.of("server-1", "server-0")));
        Holding late = held;
        assertThatThrownBy(() -> first.ownership().release(late)).isInstanceOf(FencedException.class);
        MessageRefusedException refused = (MessageRefusedException) catchThrowable(() -> worker.messages()
                        .ask(at, "push", Message.of("").term(next.term()), LONG)
                        .join())
                .getCause();
        assertThat(refused.code()).isEqualTo(MessageRefusedException.FENCED);
        server.exited("process of server-1", "was killed");
        assertThat(worker.ownership().of("shard-0")).contains(new Holding("shard-0", 3, List.of("server-0")));
        assertThat(worker.ownership().all("shard")).hasSize(1);
        assertThat(worker.ownership().of("shard-1")).isEmpty();
    }

    @Test
    void otherRolesHearThatTheTrainingIsOver() throws Exception {
        start(MembershipRules.of(1).role("server", RoleRules.of(1)));
        ClusterTeam serving = join("server", "server-0");
        ClusterTeam worker = join("worker", "worker-0");
        worker.meet(0);
        assertThat(serving.isOver()).isFalse();
        worker.done();
        worker.close();
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!serving.isOver() && System.nanoTime() < until) {
            Thread.sleep(5);
        }
        assertThat(serving.isOver()).isTrue();
    }
}
