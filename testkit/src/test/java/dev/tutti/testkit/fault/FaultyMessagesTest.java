package dev.tutti.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageTimeoutException;
import dev.tutti.comm.message.MemoryMessageTransport;
import dev.tutti.comm.message.MessageExchange;
import dev.tutti.comm.message.MessageLimits;
import dev.tutti.comm.message.MessageSecurity;
import dev.tutti.comm.message.SocketMessageTransport;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A counter that is pushed to through messages that are lost, doubled, late and cut off: each push counts once. */
@Timeout(60)
class FaultyMessagesTest {
    private static final Member CLIENT = new Member("worker-0", "here");
    private static final Member SERVER = new Member("server-0", "here", "server");
    private static final int PUSHES = 60;
    private static final String TOKEN = "a token of the test kit";

    /** Adds up what is pushed; knows the sequence numbers of those it has seen, if it is to. */
    private static final class Counter {
        private final boolean remembers;
        private final Set<Long> seen = new HashSet<>();
        private long sum;

        Counter(boolean remembers) {
            this.remembers = remembers;
        }

        synchronized Message push(Message message) {
            if (seen.add(message.sequence()) || !remembers) {
                sum += message.sequence();
            }
            return Message.of("added");
        }

        synchronized long sum() {
            return sum;
        }
    }

    private static long pushAll(boolean sockets, boolean remembers) {
        MemoryMessageTransport.Hub hub = new MemoryMessageTransport.Hub();
        var listening = SocketMessageTransport.listen(
                InetAddress.getLoopbackAddress(),
                (member, limit) -> Optional.empty(),
                MessageSecurity.plain(TOKEN),
                MessageLimits.DEFAULT);
        var connecting = SocketMessageTransport.listen(
                InetAddress.getLoopbackAddress(),
                (member, limit) -> Optional.of(listening.address()),
                MessageSecurity.plain(TOKEN),
                MessageLimits.DEFAULT);
        Counter counter = new Counter(remembers);
        try (MessageExchange server = MessageExchange.open(
                        SERVER, List.of(sockets ? listening : new MemoryMessageTransport(hub)), MessageLimits.DEFAULT);
                FaultyMessages client = FaultyMessages.of(
                        MessageExchange.open(
                                CLIENT,
                                List.of(sockets ? connecting : new MemoryMessageTransport(hub)),
                                MessageLimits.DEFAULT),
                        MessageFaults.of(7, 0.4, 1000, 5))) {
            server.serve("push", MessageHandler.of(request -> counter.push(request.message())));
            for (long number = 1; number <= PUSHES; number++) {
                while (!push(client, number)) {
                    // again, with the same number
                }
            }
        } finally {
            listening.close();
            connecting.close();
        }
        return counter.sum();
    }

    private static boolean push(FaultyMessages client, long number) {
        try {
            client.ask(SERVER, "push", Message.of("").sequence(number), Duration.ofMillis(100))
                    .join();
            return true;
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOfAny(MemberLostException.class, MessageTimeoutException.class);
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachPushCountsOnceWhereTheServerRemembersSequenceNumbers(boolean sockets) {
        long all = PUSHES * (PUSHES + 1) / 2;
        assertThat(pushAll(sockets, false)).as("the faults bite").isGreaterThan(all);
        assertThat(pushAll(sockets, true)).isEqualTo(all);
    }
}
