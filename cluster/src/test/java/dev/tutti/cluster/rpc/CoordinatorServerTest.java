package dev.tutti.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Fact;
import dev.tutti.cluster.coordinator.MembershipNotice;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.coordinator.Timeouts;
import dev.tutti.cluster.journal.CoordinatorLog;
import dev.tutti.cluster.journal.Journal;
import dev.tutti.cluster.supervision.FailureDetector;
import dev.tutti.comm.Configuration;
import dev.tutti.train.Version;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CoordinatorServerTest {
    @TempDir
    Path folder;

    /** Keeps what it hears. */
    private static final class TestingListener implements HeartbeatClient.Listener {
        private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

        @Override
        public void notice(MembershipNotice now) {
            heard.add(now);
        }

        @Override
        public void configured(Configuration now) {
            heard.add(now);
        }

        @Override
        public void refused(RefusedException why) {
            heard.add(why);
        }

        @Override
        public void alone(CoordinatorLostException why) {
            heard.add(why);
        }

        <T> T next(Class<T> type) throws InterruptedException {
            while (true) {
                Object next = heard.poll(20, TimeUnit.SECONDS);
                assertThat(next).as("nothing was heard").isNotNull();
                if (type.isInstance(next)) {
                    return type.cast(next);
                }
            }
        }
    }

    @Test
    void aJournalThatHasGrownLongBeginsAnew() throws Exception {
        ServerSettings settings = ServerSettings.of(MembershipRules.of(1)).folder(folder);
        String text = "x".repeat(60_000);
        try (CoordinatorServer server = CoordinatorServer.start(settings)) {
            for (int i = 1; i <= 50; i++) {
                server.configure("rate", text + i);
            }
        }
        assertThat(folder.resolve("coordinator.log"))
                .satisfies(log -> assertThat(Files.size(log)).isLessThan(1_200_000));
        try (CoordinatorServer server = CoordinatorServer.start(settings)) {
            assertThat(server.overview().settings().values()).containsEntry("rate", text + 50);
        }
    }

    @Test
    void aMemberOfAnotherVersionIsRefused() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            ManagedChannel channel = CoordinatorChannels.open(server.address());
            try {
                CoordinatorProtocol.Join old =
                        new CoordinatorProtocol.Join("s", "worker-0", "worker", "here", "p", 0, "0.0.1", "", Map.of());
                assertThatThrownBy(() -> new CoordinatorCalls(server.address(), channel)
                                .call(CoordinatorProtocol.JOIN, old, 5_000))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("worker-0 on here runs version 0.0.1 of Tutti")
                        .hasMessageContaining("the coordinator version " + Version.current());
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @Test
    void aWrongTokenIsRefused() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            for (String token : List.of("wrong", server.address().token() + "x")) {
                CoordinatorAddress address = new CoordinatorAddress("127.0.0.1", server.port(), token);
                try (CoordinatorClient client = new CoordinatorClient(address)) {
                    assertThatThrownBy(() -> client.join(JoinRequest.worker(null)))
                            .isInstanceOf(CoordinatorLostException.class)
                            .hasMessageContaining("127.0.0.1:" + server.port())
                            .hasMessageContaining("the token is not that of this job");
                    assertThatThrownBy(client::overview).isInstanceOf(CoordinatorLostException.class);
                }
            }
            assertThat(server.overview().members()).isEmpty();
        }
    }

    @Test
    void anotherSessionIsNotBelieved() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                CoordinatorClient client = new CoordinatorClient(server.address())) {
            Membership self = client.join(JoinRequest.worker(null));
            Membership other = new Membership(self.id(), "guess", self.patience());
            assertThatThrownBy(() -> client.begin(other, "training", 0, 1, List.of()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("does not know worker-0 under this session");
        }
    }

    @Test
    void callsEndAtTheirDeadline() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            CoordinatorAddress address = new CoordinatorAddress("127.0.0.1", silent.getLocalPort(), "secret");
            try (CoordinatorClient client = new CoordinatorClient(address).patience(700)) {
                long begin = System.nanoTime();
                assertThatThrownBy(client::overview)
                        .isInstanceOf(CoordinatorLostException.class)
                        .hasMessageContaining("was not reached for");
                assertThat(Duration.ofNanos(System.nanoTime() - begin))
                        .isBetween(Duration.ofMillis(600), Duration.ofSeconds(10));
            }
        }
    }

    @Test
    void aNoteThatDoesNotComeIsNotWaitedForLongerThanAsked() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                CoordinatorClient client = new CoordinatorClient(server.address())) {
            Membership self = client.join(JoinRequest.worker(null));
            assertThat(client.meet(self, 0, 0, List.of())).isPresent();
            assertThat(client.read(self, 1, "never", 300)).isEmpty();
            client.post(self, 1, "there", "note");
            assertThat(client.read(self, 1, "there", 300)).hasValue("note");
        }
    }

    @Test
    void messagesThatAreTooLargeAreRefused() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                CoordinatorClient client = new CoordinatorClient(server.address())) {
            assertThatThrownBy(() -> client.configure("a", "x".repeat(100_000)))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("100000 characters");
            assertThatThrownBy(() -> client.configure("a", "x".repeat(CoordinatorProtocol.LARGEST)))
                    .isInstanceOf(TuttiException.class);
            assertThat(client.configure("a", "b").values()).containsEntry("a", "b");
        }
    }

    @Test
    void nonsenseIsRefused() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            ManagedChannel channel = CoordinatorChannels.open(server.address());
            try {
                var wrong = CoordinatorProtocol.JOIN.toBuilder(
                                new JsonMarshaller<>(CoordinatorProtocol.Chunks.class),
                                CoordinatorProtocol.JOIN.getResponseMarshaller())
                        .build();
                assertThatThrownBy(() -> ClientCalls.blockingUnaryCall(
                                channel,
                                wrong,
                                CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
                                new CoordinatorProtocol.Chunks(null, "training", 1, List.of())))
                        .isInstanceOf(StatusRuntimeException.class);
            } finally {
                channel.shutdownNow();
            }
            assertThat(server.overview().members()).isEmpty();
        }
    }

    @Test
    void aBrokenConnectionIsNoticedWithoutAHeartbeat() throws Exception {
        Timeouts patience = Timeouts.DEFAULT.reconnect(Duration.ofMillis(300));
        try (CoordinatorServer server =
                CoordinatorServer.start(ServerSettings.of(MembershipRules.of(2).patience(patience)))) {
            TestingListener listener = new TestingListener();
            try (CoordinatorClient stays = new CoordinatorClient(server.address())) {
                CoordinatorClient dies = new CoordinatorClient(server.address());
                Membership first = stays.join(JoinRequest.worker("worker-0"));
                Membership second = dies.join(JoinRequest.worker("worker-1"));
                try (HeartbeatClient heartbeat = stays.heartbeat(first, listener);
                        HeartbeatClient other = dies.heartbeat(second, new TestingListener())) {
                    var waiting = CompletableFuture.supplyAsync(() -> stays.meet(first, 0, 0, List.of()));
                    assertThat(dies.meet(second, 0, 0, List.of())).isPresent();
                    assertThat(waiting.get(20, TimeUnit.SECONDS)).isPresent();
                    long begin = System.nanoTime();
                    other.close();
                    dies.close();
                    MembershipNotice notice = listener.next(MembershipNotice.class);
                    while (notice.lost().isEmpty()) {
                        notice = listener.next(MembershipNotice.class);
                    }
                    assertThat(notice.changed()).contains("worker-1 is gone: its connection broke");
                    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(8));
                }
            }
            assertThat(server.overview().members().get(1).state()).isEqualTo(FailureDetector.State.GONE);
        }
    }

    @Test
    void aMemberIsToldThatTheCoordinatorIsAway() throws Exception {
        Timeouts patience = Timeouts.DEFAULT
                .heartbeats(Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofSeconds(5))
                .coordinator(Duration.ofMillis(500));
        CoordinatorServer server =
                CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1).patience(patience)));
        TestingListener listener = new TestingListener();
        try (CoordinatorClient client = new CoordinatorClient(server.address());
                HeartbeatClient heartbeat = client.heartbeat(client.join(JoinRequest.worker(null)), listener)) {
            listener.next(MembershipNotice.class);
            server.close();
            assertThat(listener.next(CoordinatorLostException.class)).hasMessageContaining("was not reached");
        } finally {
            server.close();
        }
    }

    @Test
    void itIsNotOpenToOtherMachinesWithoutTls() {
        ServerSettings open = ServerSettings.of(MembershipRules.of(1)).listen("0.0.0.0", 0);
        assertThatThrownBy(() -> CoordinatorServer.start(open))
                .isInstanceOf(TuttiException.class)
                .hasMessageContaining("open to other machines");
        CoordinatorServer.start(open.plainToOthers(true)).close();
        assertThatThrownBy(() -> ServerSettings.of(MembershipRules.of(1)).token("short"))
                .hasMessageContaining("at least 16");
    }

    @Test
    void aPortInUseIsNamed() {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            assertThatThrownBy(() -> CoordinatorServer.start(
                            ServerSettings.of(MembershipRules.of(1)).listen("127.0.0.1", server.port())))
                    .isInstanceOf(TuttiException.class)
                    .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port())
                    .hasMessageContaining("Choose another port");
        }
    }

    @Test
    void ofSeveralPlacesTheFirstThatAnswersIsTaken() throws Exception {
        try (java.net.ServerSocket taken = new java.net.ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
                CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            int nobody = taken.getLocalPort();
            taken.close();
            CoordinatorAddress address = new CoordinatorAddress(
                    List.of(
                            new CoordinatorAddress.Endpoint("127.0.0.1", nobody),
                            new CoordinatorAddress.Endpoint("127.0.0.1", server.port())),
                    server.address().token(),
                    null);
            try (CoordinatorClient client = new CoordinatorClient(address)) {
                client.patience(10_000);
                assertThat(client.overview().members()).isEmpty();
                assertThat(address).hasToString("127.0.0.1:" + nobody + " or 127.0.0.1:" + server.port());
            }
        }
    }

    @Test
    void aLogOfOnesOwnKeepsWhatWasDecided() {
        List<Journal.Entry> kept = new ArrayList<>();
        CoordinatorLog log = new CoordinatorLog() {
            @Override
            public List<Journal.Entry> entries() {
                return List.copyOf(kept);
            }

            @Override
            public void append(long at, List<Fact> facts) {
                if (!facts.isEmpty()) {
                    kept.add(new Journal.Entry(at, facts));
                }
            }

            @Override
            public boolean isLong() {
                return kept.size() > 3;
            }

            @Override
            public void compact(List<Journal.Entry> summary) {
                kept.clear();
                kept.addAll(summary);
            }

            @Override
            public void close() {}
        };
        ServerSettings settings = ServerSettings.of(MembershipRules.of(1));
        try (CoordinatorServer server = CoordinatorServer.start(settings, log)) {
            for (int i = 0; i < 10; i++) {
                server.configure("rate", "0." + i);
            }
        }
        assertThat(kept).hasSizeLessThan(5);
        try (CoordinatorServer server = CoordinatorServer.start(settings, log);
                CoordinatorClient client = new CoordinatorClient(server.address())) {
            assertThat(client.configuration().values()).containsEntry("rate", "0.9");
        }
    }

    @Test
    void tlsSaysWhoIsWho() throws Exception {
        TlsFiles ours = TestingTlsFiles.make(folder, "ours");
        TlsFiles others = TestingTlsFiles.make(folder, "others");
        ServerSettings settings = ServerSettings.of(MembershipRules.of(1))
                .tls(new TlsFiles(ours.certificate(), ours.key(), ours.certificate()));
        try (CoordinatorServer server = CoordinatorServer.start(settings)) {
            TlsFiles member = new TlsFiles(ours.certificate(), ours.key(), ours.certificate());
            try (CoordinatorClient client = client(server, member)) {
                assertThat(client.join(JoinRequest.worker(null)).id()).isEqualTo("worker-0");
            }
            for (TlsFiles wrong : new TlsFiles[] {
                null,
                TlsFiles.trusting(ours.certificate()),
                TlsFiles.trusting(others.certificate()),
                new TlsFiles(others.certificate(), others.key(), ours.certificate())
            }) {
                try (CoordinatorClient client = client(server, wrong).patience(700)) {
                    assertThatThrownBy(client::overview).isInstanceOf(CoordinatorLostException.class);
                }
            }
        }
        assertThatThrownBy(() -> TlsFiles.trusting(folder.resolve("none.pem"))).hasMessageContaining("none.pem");
    }

    private static CoordinatorClient client(CoordinatorServer server, TlsFiles tls) {
        CoordinatorAddress address = server.address();
        return new CoordinatorClient(new CoordinatorAddress("localhost", address.port(), address.token(), tls));
    }
}
