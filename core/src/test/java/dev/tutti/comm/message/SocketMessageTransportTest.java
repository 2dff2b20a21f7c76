package dev.tutti.comm.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.message.TestingMessages.Kind;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a port of messages does with those who are no members, or do not behave like one. */
@Timeout(60)
class SocketMessageTransportTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Member ONE = TestingMessages.member(1);
    private static final MessageLimits STRICT = MessageLimits.DEFAULT
            .bodyBytes(1000)
            .headBytes(500)
            .patience(Duration.ofMillis(300), Duration.ofMillis(300));

    private static Throwable asking(MessageSecurity security, MessageAddress at, Member to) {
        SocketMessageTransport sockets = SocketMessageTransport.listen(
                InetAddress.getLoopbackAddress(), (member, limit) -> Optional.of(at), security, MessageLimits.DEFAULT);
        try (MessageExchange stranger =
                MessageExchange.open(new Member("stranger", "here"), List.of(sockets), MessageLimits.DEFAULT)) {
            return catchThrowable(() ->
                            stranger.ask(to, "echo", Message.of("x"), LONG).join())
                    .getCause();
        }
    }

    private static void serveEcho(TestingMessages members) {
        members.of(1).serve("echo", MessageHandler.of(MessageRequest::message));
    }

    private static void assertStillServes(TestingMessages members) {
        assertThat(members.of(0)
                        .ask(ONE, "echo", Message.of("well"), LONG)
                        .join()
                        .text())
                .isEqualTo("well");
    }

    @Test
    void oneWithoutTheTokenIsKeptOutAndDoesNotBelieveTheOther() {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, MessageLimits.DEFAULT)) {
            serveEcho(members);
            Throwable failure = asking(MessageSecurity.plain("another token, as long"), members.address(1), ONE);
            assertThat(failure)
                    .isInstanceOf(MemberLostException.class)
                    .hasMessageContaining("member-1")
                    .hasMessageContaining("token");
            assertThat(failure.getMessage()).doesNotContain(TestingMessages.TOKEN);
            assertStillServes(members);
        }
    }

    @Test
    void aPortThatIsAnothersNowIsNotTakenForTheMember() {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, MessageLimits.DEFAULT)) {
            assertThat(asking(
                            MessageSecurity.plain(TestingMessages.TOKEN),
                            members.address(1),
                            TestingMessages.member(7)))
                    .isInstanceOf(MemberLostException.class)
                    .hasMessageContaining("this is member-1, not member-7");
        }
    }

    @Test
    void oneWhoseCertificateIsNotTrustedIsKeptOut(@TempDir Path folder) throws Exception {
        PemFiles others = TestingCertificates.newCertificate(folder);
        try (TestingMessages members = new TestingMessages(Kind.TLS, 2, MessageLimits.DEFAULT)) {
            serveEcho(members);
            PemFiles ours = TestingCertificates.shared();
            for (PemFiles wrong :
                    List.of(others, new PemFiles(others.certificate(), others.key(), ours.certificate()))) {
                assertThat(asking(
                                new MessageSecurity(TestingMessages.TOKEN, Optional.of(wrong.context())),
                                members.address(1),
                                ONE))
                        .isInstanceOf(MemberLostException.class);
            }
            assertStillServes(members);
        }
    }

    @Test
    void oneThatSaysNothingOrNonsenseIsCutOff() throws IOException {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, STRICT);
                Socket silent = connection(members);
                Socket nonsense = connection(members)) {
            serveEcho(members);
            nonsense.getOutputStream()
                    .write("GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertCutOff(nonsense);
            assertCutOff(silent);
            assertStillServes(members);
        }
    }

    private static Socket connection(TestingMessages members) throws IOException {
        return new Socket(members.address(1).host(), members.address(1).port());
    }

    /** A member that knows the token and then sends bytes of its own. */
    private static SocketChannel member(TestingMessages members) throws IOException {
        MessageAddress at = members.address(1);
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(at.host(), at.port()));
        new Handshake(new PlainWire(channel), TestingMessages.TOKEN).connect(new Member("odd-0", "here"), ONE);
        return channel;
    }

    private static void assertCutOff(SocketChannel channel) throws IOException {
        assertCutOff(channel.socket());
    }

    /** It may be told why before. */
    private static void assertCutOff(Socket socket) throws IOException {
        socket.setSoTimeout(5000);
        try {
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(200);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset"); // it had more to say
        }
    }

    @Test
    void headsAndBodiesPastTheLimitsAndBadOnesAreCutOff() throws IOException {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, STRICT)) {
            serveEcho(members);
            for (int length : new int[] {-1, 3, 501, Integer.MAX_VALUE}) {
                try (SocketChannel odd = member(members)) {
                    odd.write(ByteBuffer.allocate(4).putInt(length).flip());
                    assertCutOff(odd);
                }
            }
            for (long extent : new long[] {251, -1, Long.MAX_VALUE, Long.MAX_VALUE / 2}) {
                try (SocketChannel odd = member(members)) {
                    odd.write(request(extent, 0));
                    assertCutOff(odd);
                }
            }
            for (int kind : new int[] {9, -1}) {
                try (SocketChannel odd = member(members)) {
                    odd.write(request(1, kind));
                    assertCutOff(odd);
                }
            }
            assertStillServes(members);
        }
    }

    private static ByteBuffer request(long extent, int kind) {
        return request(extent, kind, "echo", -1);
    }

    /** @param memory the number of the shared memory in which its tensor is said to lie; -1: it follows */
    private static ByteBuffer request(long extent, int kind, String text, int memory) {
        byte[] topic = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(300);
        out.position(4);
        out.put((byte) kind).putLong(1).putLong(0).putLong(0).putLong(1000);
        out.putInt(topic.length).put(topic).putInt(0).putInt(memory).putInt(64).putInt(1);
        out.put((byte) 0).put((byte) 1).putLong(extent);
        out.putInt(0, out.position() - 4);
        return out.flip();
    }

    /** Memory of this machine is read where a member offers a segment, and nowhere else. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"SOCKETS", "SHARED_MEMORY"})
    void memoryThatIsNotSharedIsNotRead(Kind kind) throws IOException {
        try (TestingMessages members = new TestingMessages(kind, 2, STRICT)) {
            serveEcho(members);
            for (int memory : new int[] {0, 7, Integer.MAX_VALUE}) {
                try (SocketChannel odd = member(members)) {
                    odd.write(request(1, 0, "echo", memory));
                    assertCutOff(odd);
                }
            }
            try (SocketChannel odd = member(members)) {
                odd.write(request(0, MessageFrame.Kind.SHARED.ordinal()));
                assertCutOff(odd);
            }
            for (String name : List.of("../../etc/passwd", "/etc/passwd", "tutti-1-0", "tutti-1-/../x", "")) {
                try (SocketChannel odd = member(members)) {
                    odd.write(request(0, MessageFrame.Kind.SHARE.ordinal(), name, -1));
                    DataInputStream in = new DataInputStream(odd.socket().getInputStream());
                    byte[] answer = new byte[in.readInt()];
                    in.readFully(answer);
                    assertThat(answer[0]).isEqualTo((byte) MessageFrame.Kind.SHARED.ordinal());
                    assertThat(ByteBuffer.wrap(answer).getLong(9)).as("mapped").isZero();
                }
            }
            assertStillServes(members);
        }
    }

    @Test
    void aConnectionThatStandsStillInAMessageIsCutOffAndAnIdleOneIsNot() throws Exception {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, STRICT)) {
            serveEcho(members);
            assertStillServes(members);
            try (SocketChannel odd = member(members)) {
                odd.write(request(200, 0)); // and not its 800 bytes
                assertCutOff(odd);
            }
            Thread.sleep(700);
            assertStillServes(members);
            assertThat(((MessageExchange) members.of(0)).connectionsOpened()).isEqualTo(1);
        }
    }

    @Test
    void answersNobodyAskedForAreLeftAside() throws IOException {
        try (TestingMessages members = new TestingMessages(Kind.SOCKETS, 2, STRICT)) {
            serveEcho(members);
            try (SocketChannel odd = member(members)) {
                ByteBuffer answer = request(0, MessageFrame.Kind.ANSWER.ordinal());
                odd.write(answer);
                odd.write(request(0, 0));
                DataInputStream in = new DataInputStream(odd.socket().getInputStream());
                byte[] echoed = new byte[in.readInt()];
                in.readFully(echoed);
                assertThat(echoed[0]).isEqualTo((byte) MessageFrame.Kind.ANSWER.ordinal());
            }
            assertStillServes(members);
        }
    }
}
