package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.comm.memory.MemoryBoard;
import dev.tutti.comm.message.TestingCertificates;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.tensor.Engine;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tensors between members that have certificates: those on the way can neither read nor change them, and strangers are not let in. */
@Timeout(100)
class TlsLinksTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final float MARK = 1234.5625f;
    private static final int ELEMENTS = 300_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBoard board = new MemoryBoard(TIMEOUT);
    private final List<Socket> strangers = new ArrayList<>();

    @BeforeAll
    static void loadEngine() {
        Engine.load();
    }

    @AfterEach
    void end() throws IOException {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        threads.shutdownNow();
    }

    private Future<Collectives> open(int rank, BulletinBoard from) {
        Group group = new Group(1, rank, List.of(new Member("worker-0", "here"), new Member("worker-1", "here")));
        return threads.submit(() -> NetworkCollectives.open(group, from, TIMEOUT));
    }

    private int port(int rank) {
        return Integer.parseInt(board.read("links-" + rank).split(" ")[2]);
    }

    private Socket stranger(int port) throws IOException {
        Socket socket = new Socket();
        strangers.add(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        return socket;
    }

    /** Both add up the mark; returns the first sum of each. */
    private List<Float> sums(Collectives first, Collectives second) throws Exception {
        Future<Float> one = threads.submit(() -> sum(first));
        Future<Float> two = threads.submit(() -> sum(second));
        return List.of(one.get(30, TimeUnit.SECONDS), two.get(30, TimeUnit.SECONDS));
    }

    private static float sum(Collectives collectives) {
        try (Scope scope = Scope.open()) {
            float[] values = new float[ELEMENTS];
            Arrays.fill(values, MARK);
            Tensor tensor = Tensor.of(NdArray.of(values, ELEMENTS));
            assertThat(tensor.type()).isEqualTo(DType.FLOAT32);
            collectives.allReduce("values", tensor);
            return tensor.toArray().floats()[ELEMENTS - 1];
        }
    }

    @Test
    void strangersHoldNothingUpAndThePortIsClosedOnceAllAreConnected() throws Exception {
        Future<Collectives> first = open(0, new TlsBoard(board));
        int port = port(0);
        for (int i = 0; i < 20; i++) {
            Socket socket = stranger(port);
            if (i % 2 == 1) {
                socket.getOutputStream().write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
        Future<Collectives> second = open(1, new TlsBoard(board));
        try (Collectives one = first.get(30, TimeUnit.SECONDS);
                Collectives two = second.get(30, TimeUnit.SECONDS)) {
            for (int rank = 0; rank < 2; rank++) {
                int closed = port(rank);
                assertThatThrownBy(() -> stranger(closed)).isInstanceOf(IOException.class);
            }
            assertThat(sums(one, two)).containsExactly(2 * MARK, 2 * MARK);
        }
    }

    /** It has a certificate, but not one that members trust; one that is trusted but does not know the key is no member either. */
    @Test
    void aCertificateAloneMakesNoMember(@TempDir Path folder) throws Exception {
        Future<Collectives> first = open(0, new TlsBoard(board));
        int port = port(0);
        SSLContext own = TestingCertificates.newCertificate(folder).context();
        assertThatThrownBy(() -> greet(own, port)).isInstanceOf(IOException.class);
        assertThat(greet(TestingCertificates.shared().context(), port))
                .as("nothing is answered to a wrong key")
                .isEqualTo(-1);
        Future<Collectives> second = open(1, new TlsBoard(board));
        try (Collectives one = first.get(30, TimeUnit.SECONDS);
                Collectives two = second.get(30, TimeUnit.SECONDS)) {
            assertThat(sums(one, two)).containsExactly(2 * MARK, 2 * MARK);
        }
    }

    private int greet(SSLContext context, int port) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(stranger(port), InetAddress.getLoopbackAddress().getHostAddress(), port, true);
        socket.setSoTimeout(8000);
        socket.startHandshake();
        ByteBuffer hello =
                ByteBuffer.allocate(32).put(new byte[16]).putLong(1).putInt(1).putInt(1);
        socket.getOutputStream().write(hello.array());
        return socket.getInputStream().read();
    }

    @Test
    void membersOfWhichOneDoesNotEncryptAreTold() {
        Future<Collectives> encrypted = open(0, new TlsBoard(board));
        Future<Collectives> plain = open(1, board);
        assertThatThrownBy(() -> encrypted.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(CommunicationException.class)
                .hasMessageContaining("worker-1 sends tensors in the clear and worker-0 encrypted");
        assertThatThrownBy(() -> plain.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(CommunicationException.class)
                .hasMessageContaining("worker-0 sends tensors encrypted");
    }

    @Test
    void whatTravelsCannotBeRead() throws Exception {
        try (Relay relay = new Relay(false)) {
            Future<Collectives> first = open(0, new TlsBoard(board));
            Future<Collectives> second = open(1, new TlsBoard(relay.before(board)));
            try (Collectives one = first.get(30, TimeUnit.SECONDS);
                    Collectives two = second.get(30, TimeUnit.SECONDS)) {
                assertThat(sums(one, two)).containsExactly(2 * MARK, 2 * MARK);
            }
            byte[] seen = relay.seen();
            assertThat(seen.length).as("all of it came this way").isGreaterThan(2 * ELEMENTS * Float.BYTES);
            byte[] marks = ByteBuffer.allocate(8)
                    .order(ByteOrder.nativeOrder())
                    .putFloat(MARK)
                    .putFloat(MARK)
                    .array();
            assertThat(new String(seen, StandardCharsets.ISO_8859_1))
                    .doesNotContain(new String(marks, StandardCharsets.ISO_8859_1));
        }
    }

    @Test
    void aChangedByteEndsTheCallInsteadOfChangingTheSum() throws Exception {
        try (Relay relay = new Relay(true)) {
            Future<Collectives> first = open(0, new TlsBoard(board));
            Future<Collectives> second = open(1, new TlsBoard(relay.before(board)));
            try (Collectives one = first.get(30, TimeUnit.SECONDS);
                    Collectives two = second.get(30, TimeUnit.SECONDS)) {
                assertThatThrownBy(() -> sums(one, two)).hasCauseInstanceOf(MemberLostException.class);
            }
        }
    }

    /** One on the way to the first member, who writes down what passes, and may change a byte of what is long. */
    private final class Relay implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
        private final boolean changes;

        Relay(boolean changes) throws IOException {
            this.changes = changes;
        }

        BulletinBoard before(BulletinBoard of) {
            return new BulletinBoard() {
                @Override
                public void post(String name, String note) {
                    of.post(name, note);
                }

                @Override
                public String read(String name) {
                    String note = of.read(name);
                    if (!name.equals("links-0")) {
                        return note;
                    }
                    String[] words = note.split(" ");
                    threads.execute(() -> relayAll(Integer.parseInt(words[2])));
                    return words[0] + " " + words[1] + " " + server.getLocalPort() + " " + words[3];
                }
            };
        }

        private void relayAll(int port) {
            try {
                while (true) {
                    Socket from = server.accept();
                    strangers.add(from);
                    Socket to = stranger(port);
                    threads.execute(() -> pass(from, to));
                    threads.execute(() -> pass(to, from));
                }
            } catch (IOException e) {
                // the end of the test
            }
        }

        private void pass(Socket from, Socket to) {
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] bytes = new byte[1 << 16];
                for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                    synchronized (seen) {
                        seen.write(bytes, 0, count);
                        if (changes && seen.size() > ELEMENTS * Float.BYTES) {
                            bytes[count / 2] ^= 1;
                        }
                    }
                    out.write(bytes, 0, count);
                }
            } catch (IOException e) {
                // one of them has closed
            }
        }

        byte[] seen() {
            synchronized (seen) {
                return seen.toByteArray();
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
