package dev.tutti.comm.message;

import dev.tutti.comm.Member;
import dev.tutti.comm.Messages;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The messages of some members in this JVM, over one transport. */
final class TestingMessages implements AutoCloseable {
    static final String TOKEN = "a token of the test kit";

    /** The transports that the contract is tested with. */
    enum Kind {
        MEMORY,
        /** Members of one machine, as they are in JVMs of their own. */
        SHARED_MEMORY,
        /** Members of different machines. */
        SOCKETS,
        TLS;

        boolean isSocket() {
            return this != MEMORY;
        }
    }

    private final List<MessageExchange> exchanges = new ArrayList<>();
    private final Map<String, MessageAddress> addresses = new ConcurrentHashMap<>();
    private final Map<String, SocketMessageTransport> transports = new ConcurrentHashMap<>();

    TestingMessages(Kind kind, int count, MessageLimits limits) {
        MemoryMessageTransport.Hub hub = new MemoryMessageTransport.Hub();
        for (int i = 0; i < count; i++) {
            Member member = member(i);
            MessageTransport transport =
                    kind == Kind.MEMORY ? new MemoryMessageTransport(hub) : listen(kind, member.id(), limits);
            exchanges.add(MessageExchange.open(member, List.of(transport), limits));
        }
    }

    private SocketMessageTransport listen(Kind kind, String id, MessageLimits limits) {
        SocketMessageTransport sockets = SocketMessageTransport.listen(
                InetAddress.getLoopbackAddress(),
                (member, limit) -> Optional.ofNullable(addresses.get(member.id())),
                kind == Kind.TLS
                        ? new MessageSecurity(
                                TOKEN, Optional.of(TestingCertificates.shared().context()))
                        : MessageSecurity.plain(TOKEN),
                kind == Kind.SHARED_MEMORY ? limits : limits.sharedBytes(0));
        transports.put(id, sockets);
        addresses.put(id, sockets.address());
        return sockets;
    }

    static Member member(int index) {
        return new Member("member-" + index, "here", "server");
    }

    Messages of(int index) {
        return exchanges.get(index);
    }

    /** The messages to a member whose tensors came through shared memory. */
    long takenFromMemory(int index) {
        return transports.get(member(index).id()).takenFromMemory();
    }

    MessageAddress address(int index) {
        return addresses.get(member(index).id());
    }

    @Override
    public void close() {
        exchanges.forEach(MessageExchange::close);
    }
}
