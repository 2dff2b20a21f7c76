package dev.tutti.comm.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Message;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a member that is gone means for requests to it. */
@Timeout(60)
class MessageExchangeTest {
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Member WORKER = new Member("worker-0", "here", "worker");
    private static final Member SERVER = new Member("server-0", "here", "server");

    /** Connects with members of this JVM, but not before it is told to. */
    private static final class SlowTransport implements MessageTransport {
        private final MemoryMessageTransport memory;
        private final CountDownLatch connecting = new CountDownLatch(1);
        private final CountDownLatch connect = new CountDownLatch(1);

        SlowTransport(MemoryMessageTransport memory) {
            this.memory = memory;
        }

        @Override
        public void open(Member self, LinkListener listener) {
            memory.open(self, listener);
        }

        @Override
        public Optional<MessageLink> connect(Member to, Duration limit) {
            connecting.countDown();
            try {
                connect.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return memory.connect(to, limit);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    @Test
    void aMemberThatIsGivenUpWhileItIsConnectedWithAnswersNothing() throws Exception {
        MemoryMessageTransport.Hub hub = new MemoryMessageTransport.Hub();
        SlowTransport slow = new SlowTransport(new MemoryMessageTransport(hub));
        try (MessageExchange server =
                        MessageExchange.open(SERVER, List.of(new MemoryMessageTransport(hub)), MessageLimits.DEFAULT);
                MessageExchange worker = MessageExchange.open(WORKER, List.of(slow), MessageLimits.DEFAULT)) {
            server.serve("never", request -> new CompletableFuture<>());
            CompletableFuture<Message> answer = worker.ask(SERVER, "never", Message.of(""), LONG);
            slow.connecting.await();
            assertThat(worker.inTouch()).as("there is no link yet").containsExactly(SERVER);
            worker.giveUp(SERVER, "it is gone");
            slow.connect.countDown();
            assertThat(catchThrowable(answer::join).getCause()).isInstanceOf(MemberLostException.class);
        }
    }
}
