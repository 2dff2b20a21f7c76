package dev.tutti.cluster.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.cluster.coordinator.MembershipRules;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What those who have no token, or send what is no message, can do to a coordinator: nothing. */
@Timeout(60)
class StrangersTest {
    /** The beginning of HTTP/2, with settings that are empty. */
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

    private static Socket connect(CoordinatorServer server, byte[] first) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(first);
        return socket;
    }

    /** How long the other side leaves a connection open. */
    private static double secondsUntilClosed(Socket socket) throws IOException {
        long begin = System.nanoTime();
        try {
            while (socket.getInputStream().read() >= 0) {
                // what it says before is of no interest
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    @Test
    void connectionsWithoutATokenAreDroppedWithinSeconds() throws IOException {
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                Socket silent = connect(server, new byte[0]);
                Socket half = connect(server, new byte[] {'P', 'R', 'I'});
                Socket polite = connect(server, PREFACE)) {
            for (Socket stranger : List.of(silent, half, polite)) {
                assertThat(secondsUntilClosed(stranger)).isLessThan(12);
            }
        }
    }

    @Test
    void connectionsAreCappedAndMembersStay() throws IOException {
        List<Socket> strangers = new ArrayList<>();
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)));
                CoordinatorClient client = new CoordinatorClient(server.address())) {
            Membership self = client.join(JoinRequest.worker("worker-0"));
            for (int i = 0; i < 300; i++) {
                strangers.add(connect(server, new byte[0]));
            }
            assertThat(secondsUntilClosed(strangers.get(299)))
                    .as("the last of many")
                    .isLessThan(3);
            assertThat(client.meet(self, 0, 0, List.of()))
                    .as("a member among many strangers")
                    .isPresent();
            for (Socket stranger : strangers) {
                secondsUntilClosed(stranger);
            }
            try (CoordinatorClient another = new CoordinatorClient(server.address())) {
                assertThat(another.overview().members())
                        .as("after they were dropped")
                        .hasSize(1);
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "null",
                "[]",
                "{\"session\": 5",
                "{\"session\": null, \"trainings\": 0}",
                "{\"unknown\": 1}",
                "[[[[[[[[[[[[[["
            })
    void whatIsNoMessageIsAnInvalidArgumentWithoutAStackTrace(String text) {
        List<LogRecord> records = new CopyOnWriteArrayList<>();
        Handler handler = recording(records);
        Logger grpc = Logger.getLogger("io.grpc");
        grpc.addHandler(handler);
        try (CoordinatorServer server = CoordinatorServer.start(ServerSettings.of(MembershipRules.of(1)))) {
            ManagedChannel channel = CoordinatorChannels.open(server.address());
            try {
                for (MethodDescriptor<?, ?> method : List.of(
                        CoordinatorProtocol.JOIN,
                        CoordinatorProtocol.MEET,
                        CoordinatorProtocol.HEARTBEAT,
                        CoordinatorProtocol.WATCH)) {
                    assertThatThrownBy(() -> send(channel, method, text))
                            .as("%s", method.getFullMethodName())
                            .isInstanceOfSatisfying(
                                    StatusRuntimeException.class,
                                    e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
                }
            } finally {
                channel.shutdownNow();
            }
            assertThat(server.overview().members()).isEmpty();
        } finally {
            grpc.removeHandler(handler);
        }
        assertThat(records).extracting(LogRecord::getMessage).isEmpty();
    }

    private static <A> void send(ManagedChannel channel, MethodDescriptor<?, A> method, String text) {
        MethodDescriptor.Marshaller<String> raw = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(String value) {
                return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
            }

            @Override
            public String parse(InputStream stream) {
                throw new AssertionError("requests are not read here");
            }
        };
        ClientCalls.blockingServerStreamingCall(
                        channel,
                        method.toBuilder(raw, method.getResponseMarshaller()).build(),
                        CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
                        text)
                .next();
    }

    private static Handler recording(List<LogRecord> records) {
        return new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (record.getThrown() != null) {
                    records.add(record);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
