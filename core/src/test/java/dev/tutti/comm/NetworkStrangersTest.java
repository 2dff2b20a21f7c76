package dev.tutti.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.comm.memory.MemoryBoard;
import dev.tutti.comm.network.NetworkCollectives;
import dev.tutti.tensor.Engine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that are no members find the ports of a group that connects over the network. */
@Timeout(60)
class NetworkStrangersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(4);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBoard board = new MemoryBoard(TIMEOUT);
    private final List<Socket> strangers = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        for (Socket stranger : strangers) {
            stranger.close();
        }
        threads.shutdownNow();
    }

    private Future<Collectives> open(int rank) {
        return open(rank, board);
    }

    private Future<Collectives> open(int rank, BulletinBoard from) {
        Group group = new Group(1, rank, List.of(new Member("worker-0", "here"), new Member("worker-1", "here")));
        return threads.submit(() -> NetworkCollectives.open(group, from, TIMEOUT));
    }

    /** Where a member listens: what only members are told, and what a stranger would have to find by trying all ports. */
    private int port(int rank) {
        ByteBuffer announcement = ByteBuffer.wrap(Base64.getDecoder().decode(board.read("links-" + rank)))
                .order(ByteOrder.nativeOrder());
        int name = (int) announcement.getLong();
        return announcement.order(ByteOrder.BIG_ENDIAN).getShort(8 + name + 8 + 2) & 0xffff;
    }

    private Socket stranger(int port) throws IOException {
        Socket socket = new Socket();
        strangers.add(socket);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
        return socket;
    }

    private static void requireSumAndClose(Collectives first, Future<Collectives> second) throws Exception {
        try (Collectives other = second.get(30, TimeUnit.SECONDS)) {
            var sums = new TwoMembers(first, other).sums();
            assertThat(sums).containsExactly(3.0, 3.0);
            long begin = System.nanoTime();
            first.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
        }
    }

    private record TwoMembers(Collectives first, Collectives second) {
        List<Double> sums() throws Exception {
            ExecutorService both = Executors.newFixedThreadPool(2);
            try {
                Future<double[]> one = both.submit(() -> first.sum("values", 1));
                Future<double[]> two = both.submit(() -> second.sum("values", 2));
                return List.of(one.get()[0], two.get()[0]);
            } finally {
                both.shutdownNow();
            }
        }
    }

    @Test
    void halfARequestHoldsNothingUp() throws Exception {
        Engine.load();
        Future<Collectives> first = open(0);
        int port = port(0);
        for (int i = 0; i < 20; i++) {
            Socket socket = stranger(port);
            if (i % 2 == 1) {
                socket.getOutputStream().write(new byte[] {1, 2, 3});
            }
        }
        Future<Collectives> second = open(1);
        requireSumAndClose(first.get(30, TimeUnit.SECONDS), second);
    }

    @Test
    void aGroupThatIsConnectedLetsNobodyElseConnect() throws Exception {
        Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "ports are closed by a filter of Linux");
        Future<Collectives> first = open(0);
        Future<Collectives> second = open(1);
        Collectives connected = first.get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
        for (int rank = 0; rank < 2; rank++) {
            int port = port(rank);
            assertThatThrownBy(() -> stranger(port)).isInstanceOf(IOException.class);
        }
        requireSumAndClose(connected, second);
    }

    /**
     * It says what a member would say first, which can be guessed. Whether that takes the place of the member's connection depends on
     * which of the two connects: if it does, the group does not come together, and meets again.
     */
    @Test
    void aStrangerThatTakesTheConnectionOfAMemberIsNotTakenForIt() throws Exception {
        Future<Collectives> first = open(0);
        for (long identifier = 0; identifier < 3; identifier++) {
            Socket socket = stranger(port(0));
            socket.getOutputStream()
                    .write(ByteBuffer.allocate(8)
                            .order(ByteOrder.nativeOrder())
                            .putLong(identifier)
                            .array());
        }
        TimeUnit.MILLISECONDS.sleep(100);
        Future<Collectives> second = open(1);
        try {
            requireSumAndClose(first.get(30, TimeUnit.SECONDS), second);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(MemberLostException.class);
            assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(MemberLostException.class);
        }
    }

    @Test
    void whoDoesNotKnowTheSecretOfTheGroupIsNoMember() {
        BulletinBoard guessing = new BulletinBoard() {
            @Override
            public void post(String name, String note) {
                board.post(name, note);
            }

            @Override
            public String read(String name) {
                return name.equals("secret") ? "a guess" : board.read(name);
            }
        };
        Future<Collectives> member = open(0, board);
        Future<Collectives> stranger = open(1, guessing);
        assertThatThrownBy(() -> member.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(MemberLostException.class)
                .hasMessageContaining("the connection to worker-1 was answered by a process that is no member");
        assertThatThrownBy(() -> stranger.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(MemberLostException.class);
    }
}
