package dev.tutti.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Leases;
import dev.tutti.comm.Meeting;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Report;
import dev.tutti.comm.connection.Connections;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several members as threads of one JVM, with a real server and real connections between them. */
@Timeout(60)
class ClusterTeamTest {
    private static final Timeouts PATIENCE = Timeouts.DEFAULT
            .heartbeats(Duration.ofMillis(200), Duration.ofSeconds(2), Duration.ofSeconds(15))
            .tooFew(Duration.ofMillis(500));

    @TempDir
    Path folder;

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

    @Test
    void membersMeet() throws Exception {
        start(MembershipRules.of(3));
        ClusterTeam first = join("worker-0");
        ClusterTeam second = join("worker-1");
        ClusterTeam third = join("worker-2");
        List<Meeting> meetings = meet(List.of(third, first, second), 5, 5, 7);
        assertThat(meetings).allSatisfy(meeting -> {
            assertThat(meeting.group().generation()).isEqualTo(1);
            assertThat(meeting.group().members()).extracting("id").containsExactly("worker-0", "worker-1", "worker-2");
            assertThat(meeting.source()).isEqualTo(1);
            assertThat(meeting.takeOver()).isTrue();
        });
        assertThat(meetings).extracting(meeting -> meeting.group().rank()).containsExactly(2, 0, 1);
        first.check();
    }

    @Test
    void atTheFirstMeetingAllTakeOverOneState() throws Exception {
        start(MembershipRules.of(2));
        List<ClusterTeam> both = List.of(join((String) null), join((String) null));
        assertThat(meet(both, 4, 4)).allMatch(Meeting::takeOver);
        assertThat(meet(both, 5, 5)).as("those who have trained together").noneMatch(Meeting::takeOver);
    }

    @Test
    void aLateJoinerIsLetIn() throws Exception {
        start(MembershipRules.of(2).between(1, 3));
        List<ClusterTeam> early = List.of(join("worker-0"), join("worker-1"));
        meet(early, 0, 0);
        ClusterTeam late = join((String) null);
        assertThat(late.id()).isEqualTo("worker-2");
        Future<Meeting> waiting = threads.submit(() -> late.meet(-1));
        for (ClusterTeam team : early) {
            await(() -> changed(team));
            assertThatThrownBy(team::check)
                    .isInstanceOf(GroupChangedException.class)
                    .hasMessageContaining("worker-2 wants to join");
        }
        meet(early, 10, 10);
        Meeting meeting = waiting.get(20, TimeUnit.SECONDS);
        assertThat(meeting.group().size()).isEqualTo(3);
        assertThat(meeting.group().generation()).isEqualTo(2);
        assertThat(meeting.takeOver()).isTrue();
        assertThat(meeting.source()).isZero();
    }

    @Test
    void aMemberWhoseProcessExitedEndsTheCallsThatWaitForIt() throws Exception {
        start(MembershipRules.of(3));
        List<ClusterTeam> teams = List.of(join("worker-0"), join("worker-1"));
        ClusterTeam lost = join(JoinRequest.worker("worker-2").process("elsewhere:7"));
        meet(List.of(teams.get(0), teams.get(1), lost), 0, 0, 0);
        List<Future<?>> calls = new ArrayList<>();
        for (ClusterTeam team : teams) {
            calls.add(threads.submit(() -> team.collectives().barrier("step")));
        }
        long begin = System.nanoTime();
        server.exited("elsewhere:7", "was ended by signal 9");
        for (Future<?> call : calls) {
            assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(MemberLostException.class)
                    .hasMessageContaining("worker-2")
                    .hasMessageContaining("signal 9");
        }
        List<Meeting> meetings = meet(teams, 3, 3);
        assertThat(meetings).noneMatch(Meeting::takeOver);
        assertThat(meetings.get(0).group().size()).isEqualTo(2);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        teams.get(0).collectives();
    }

    @Test
    void aMemberThatWasGivenUpComesBackAsAnother() throws Exception {
        start(MembershipRules.of(2));
        ClusterTeam stays = join("worker-0");
        ClusterTeam sleeps = join(JoinRequest.worker("worker-1").process("elsewhere:7"));
        meet(List.of(stays, sleeps), 0, 0);
        server.exited("elsewhere:7", "seemed to have ended");
        await(() -> changed(sleeps));
        assertThatThrownBy(sleeps::check)
                .isInstanceOf(MemberLostException.class)
                .hasMessageContaining("worker-1")
                .hasMessageContaining("no longer a member");
        Future<Meeting> back = threads.submit(() -> sleeps.meet(6));
        Meeting meeting = meetUntil(stays, 6, 2);
        assertThat(meeting.group().members()).extracting("id").containsExactly("worker-0", "worker-1b");
        assertThat(meeting.takeOver())
                .as("its state may differ in the last bits")
                .isTrue();
        assertThat(meeting.source()).isZero();
        assertThat(back.get(20, TimeUnit.SECONDS).group().rank()).isEqualTo(1);
        assertThat(sleeps.id()).isEqualTo("worker-1b");
    }

    @Test
    void aMemberThatIsWaitedForInVainIsGivenUp() throws Exception {
        start(MembershipRules.of(3)
                .patience(PATIENCE.meeting(Duration.ofMillis(300), Duration.ofSeconds(50))
                        .collective(Duration.ofMillis(500))));
        List<ClusterTeam> working = List.of(join("worker-0"), join("worker-1"));
        ClusterTeam hangs = join("worker-2");
        meet(List.of(working.get(0), working.get(1), hangs), 0, 0, 0);
        List<Future<Meeting>> again = new ArrayList<>();
        for (ClusterTeam team : working) {
            again.add(threads.submit(() -> {
                assertThatThrownBy(() -> team.collectives().barrier("step")).isInstanceOf(GroupChangedException.class);
                return team.meet(1);
            }));
        }
        for (Future<Meeting> meeting : again) {
            assertThat(meeting.get(20, TimeUnit.SECONDS).group().members())
                    .extracting("id")
                    .containsExactly("worker-0", "worker-1");
        }
        await(() -> message(hangs).contains("waited for it in vain"));
    }

    @Test
    void whoLeavesInGoodOrderIsNotWaitedFor() throws Exception {
        start(MembershipRules.of(2));
        ClusterTeam stays = join("worker-0");
        ClusterTeam goes = join("worker-1");
        meet(List.of(stays, goes), 0, 0);
        goes.close();
        await(() -> changed(stays));
        assertThat(stays.meet(1).group().size()).isEqualTo(1);
    }

    @Test
    void tooFewMembersAreNamed() throws Exception {
        start(MembershipRules.of(2).between(2, 2));
        ClusterTeam stays = join("worker-0");
        ClusterTeam goes = join(JoinRequest.worker("worker-1").process("elsewhere:7"));
        meet(List.of(stays, goes), 0, 0);
        server.exited("elsewhere:7", "ended with code 3");
        assertThatThrownBy(() -> stays.meet(9))
                .isInstanceOf(MemberLostException.class)
                .hasMessageContaining("expected at least 2 members, but only worker-0 is here")
                .hasMessageContaining("missing: worker-1")
                .hasMessageContaining("gone since")
                .hasMessageContaining("ended with code 3");
    }

    @Test
    void theCoordinatorMayBeRestarted() throws Exception {
        start(MembershipRules.of(2));
        ClusterTeam first = join("worker-0");
        ClusterTeam second = join("worker-1");
        meet(List.of(first, second), 0, 0);
        first.leases(Leases.TRAINING).begin(0, 3, List.of());
        assertThat(first.leases(Leases.TRAINING).lease(0)).hasValue(0);
        first.configure("rate", "0.1");
        restart();
        assertThat(first.leases(Leases.TRAINING).lease(0)).hasValue(1);
        second.leases(Leases.TRAINING)
                .used(0, List.of(second.leases(Leases.TRAINING).lease(0).getAsInt()));
        assertThat(first.leases(Leases.TRAINING).used(0)).containsExactly(2);
        await(() -> first.configuration().values().containsKey("rate"));
        assertThat(first.configuration().values()).containsEntry("rate", "0.1");
        first.check();
        second.check();
        assertThat(meet(List.of(first, second), 1, 1))
                .extracting(meeting -> meeting.group().generation())
                .containsExactly(2L, 2L);
    }

    @Test
    void theCoordinatorMayBeRestartedInTheMiddleOfAMeeting() throws Exception {
        start(MembershipRules.of(2));
        ClusterTeam first = join("worker-0");
        ClusterTeam second = join("worker-1");
        Future<Meeting> waiting = threads.submit(() -> first.meet(0));
        await(() -> server.overview().members().get(0).waiting());
        restart();
        assertThat(second.meet(0).group().size()).isEqualTo(2);
        assertThat(waiting.get(20, TimeUnit.SECONDS).group().size()).isEqualTo(2);
    }

    @Test
    void reportsAndSettingsArrive() throws Exception {
        start(MembershipRules.of(1));
        ClusterTeam team = join("worker-0");
        team.meet(0);
        team.report(new Report(0, 1, 64, 0.5, Double.NaN));
        await(() -> server.overview().rows().containsKey(0));
        assertThat(server.overview().rows()).containsEntry(0, 64L);
        server.configure("rate", "0.5");
        await(() -> team.configuration().values().containsKey("rate"));
        long first = team.configuration().version();
        server.configure("rate", null);
        await(() -> team.configuration().values().isEmpty());
        assertThat(team.configuration().version()).isGreaterThan(first);
    }

    @Test
    void manyChangesAtOnceEndInOneGroup() throws Exception {
        start(MembershipRules.of(4).between(1, 4));
        List<ClusterTeam> all = List.of(
                join("worker-0"),
                join(JoinRequest.worker("worker-1").process("elsewhere:1")),
                join("worker-2"),
                join(JoinRequest.worker("worker-3").process("elsewhere:3")));
        meet(all, 0, 0, 0, 0);
        Future<Meeting> first = threads.submit(() -> meetUntil(all.get(0), 1, 3));
        Future<Meeting> second = threads.submit(() -> meetUntil(all.get(2), 1, 3));
        server.exited("elsewhere:1", "ended");
        server.exited("elsewhere:3", "ended");
        Future<Meeting> late = threads.submit(() -> meetUntil(join("worker-7"), -1, 3));
        for (Future<Meeting> meeting : List.of(first, second, late)) {
            assertThat(meeting.get(30, TimeUnit.SECONDS).group().members())
                    .extracting("id")
                    .containsExactly("worker-0", "worker-2", "worker-7");
        }
    }

    /** Its heartbeats were held up for longer than the job's patience; the coordinator is there, and the others are late. */
    @Test
    void whoMissedTheCoordinatorAsksItBeforeGivingUp() throws Exception {
        start(MembershipRules.of(2)
                .patience(PATIENCE.heartbeats(Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(15))
                        .coordinator(Duration.ofMillis(300))));
        AtomicBoolean heldUp = new AtomicBoolean();
        ClusterTeam first = ClusterTeam.join(
                new CoordinatorClient(server.address(), heldUp(heldUp)),
                JoinRequest.worker("worker-0"),
                1,
                Connections::open);
        teams.add(first);
        ClusterTeam second = join("worker-1");
        meet(List.of(first, second), 0, 0);
        heldUp.set(true);
        await(() -> message(first).contains("was not reached for"));
        Future<Meeting> waiting = threads.submit(() -> first.meet(1));
        TimeUnit.MILLISECONDS.sleep(1500);
        second.meet(1);
        assertThat(waiting.get(20, TimeUnit.SECONDS).group().generation()).isEqualTo(2);
    }

    /** Fails heartbeats while it is on. */
    private static ClientInterceptor heldUp(AtomicBoolean on) {
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                boolean fails = on.get() && method.getFullMethodName().endsWith("/heartbeat");
                return next.newCall(method, fails ? options.withDeadlineAfter(0, TimeUnit.SECONDS) : options);
            }
        };
    }

    private void start(MembershipRules rules) {
        MembershipRules patient = rules.patience().equals(Timeouts.DEFAULT) ? rules.patience(PATIENCE) : rules;
        server = CoordinatorServer.start(ServerSettings.of(patient).folder(folder));
    }

    private void restart() {
        CoordinatorAddress address = server.address();
        MembershipRules rules = server.rules();
        server.close();
        server = CoordinatorServer.start(ServerSettings.of(rules)
                .folder(folder)
                .listen(address.host(), address.port())
                .token(address.token()));
    }

    private ClusterTeam join(String wish) {
        return join(JoinRequest.worker(wish));
    }

    private ClusterTeam join(JoinRequest request) {
        ClusterTeam team = ClusterTeam.join(server.address(), request, 1, Connections::open);
        synchronized (teams) {
            teams.add(team);
        }
        return team;
    }

    private List<Meeting> meet(List<ClusterTeam> members, long... progress) throws Exception {
        List<Future<Meeting>> waiting = new ArrayList<>();
        for (int i = 0; i < progress.length; i++) {
            ClusterTeam team = members.get(i);
            long far = progress[i];
            waiting.add(threads.submit((Callable<Meeting>) () -> team.meet(far)));
        }
        List<Meeting> meetings = new ArrayList<>();
        for (Future<Meeting> one : waiting) {
            meetings.add(one.get(30, TimeUnit.SECONDS));
        }
        return meetings;
    }

    /** Meets as a loop would, until the group has so many members. */
    private static Meeting meetUntil(ClusterTeam team, long progress, int size) {
        Meeting meeting = team.meet(progress);
        while (meeting.group().size() != size) {
            await(() -> changed(team));
            meeting = team.meet(progress);
        }
        return meeting;
    }

    private static boolean changed(ClusterTeam team) {
        return !message(team).isEmpty();
    }

    private static String message(ClusterTeam team) {
        try {
            team.check();
            return "";
        } catch (GroupChangedException e) {
            return e.getMessage();
        }
    }

    private static void await(BooleanSupplier condition) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long").isLessThan(until);
            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
        }
    }
}
