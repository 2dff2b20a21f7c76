package dev.tutti.cluster;

import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Presence;
import dev.tutti.cluster.coordinator.RefusedException;
import dev.tutti.cluster.rpc.CoordinatorAddress;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.cluster.rpc.CoordinatorLostException;
import dev.tutti.cluster.rpc.Membership;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.comm.GroupChangedException;
import dev.tutti.comm.Member;
import dev.tutti.comm.MemberLostException;
import dev.tutti.comm.Messages;
import dev.tutti.comm.connection.Connections;
import dev.tutti.comm.message.MemoryMessageTransport;
import dev.tutti.comm.message.MessageAddress;
import dev.tutti.comm.message.MessageExchange;
import dev.tutti.comm.message.MessageLimits;
import dev.tutti.comm.message.MessageSecurity;
import dev.tutti.comm.message.PemFiles;
import dev.tutti.comm.message.SocketMessageTransport;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of a member whose job has a coordinator, which tells members where the others listen and which of them are gone.
 *
 * <p>They are opened when they are asked for the first time, so members that need none have no port open. Members of one machine
 * listen on the loopback address; where the coordinator is reached over a network they listen there too, with its TLS files.
 */
final class MemberMessages implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberMessages.class);

    private final CoordinatorClient client;
    /** Complete when they are open; null before they are asked for. */
    private CompletableFuture<MessageExchange> exchange;

    private Membership owner;
    private boolean closed;

    MemberMessages(CoordinatorClient client) {
        this.client = client;
    }

    /** The messages of a membership; those of an earlier one are closed. One thread opens them, others wait for it. */
    Messages of(Membership self, String host, String role) {
        CompletableFuture<MessageExchange> mine = null;
        CompletableFuture<MessageExchange> before = null;
        CompletableFuture<MessageExchange> now;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException(self.id() + " has left the job: it has no messages any more");
            }
            if (!self.equals(owner)) {
                before = exchange;
                mine = new CompletableFuture<>();
                exchange = mine;
                owner = self;
            }
            now = exchange;
        }
        closeWhenOpen(before);
        if (mine != null) {
            try {
                mine.complete(open(self, new Member(self.id(), host, role)));
            } catch (RuntimeException e) {
                forget(mine);
                mine.completeExceptionally(e);
            }
        }
        try {
            return now.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private synchronized void forget(CompletableFuture<MessageExchange> failed) {
        if (exchange == failed) {
            exchange = null;
            owner = null;
        }
    }

    private static void closeWhenOpen(CompletableFuture<MessageExchange> opened) {
        if (opened != null) {
            var unused = opened.thenAccept(MessageExchange::close);
        }
    }

    private MessageExchange open(Membership self, Member member) {
        CoordinatorAddress coordinator = client.address();
        boolean here = new HostName(coordinator.host()).isLoopback();
        InetAddress on = here
                ? InetAddress.getLoopbackAddress()
                : Connections.networkAddress(member, () -> RemoteBoard.localAddress(client));
        MessageSecurity security =
                here || coordinator.tls() == null ? MessageSecurity.plain(coordinator.token()) : secured(coordinator);
        SocketMessageTransport sockets = SocketMessageTransport.listen(on, this::find, security, MessageLimits.DEFAULT);
        MessageExchange opened;
        try {
            opened = MessageExchange.open(
                    member,
                    List.of(MemoryMessageTransport.ofJob(coordinator + " " + coordinator.token()), sockets),
                    MessageLimits.DEFAULT);
        } catch (RuntimeException e) {
            sockets.close();
            throw e;
        }
        try {
            client.announce(self, sockets.address().toString());
            return opened;
        } catch (RuntimeException e) {
            opened.close();
            throw meaning(e);
        }
    }

    private static MessageSecurity secured(CoordinatorAddress coordinator) {
        TlsFiles tls = coordinator.tls();
        if (tls.certificate() == null || tls.trust() == null) {
            throw new TuttiException("messages between machines with TLS need a certificate of every member: expected"
                    + " 'certificate', 'key' and 'trust' in the cluster spec, received only 'trust'");
        }
        PemFiles files = new PemFiles(tls.certificate(), tls.key(), tls.trust());
        return new MessageSecurity(coordinator.token(), Optional.of(files.context()));
    }

    private Optional<MessageAddress> find(Member member, Duration limit) {
        try {
            Optional<Presence> found = client.find(member.id(), limit.toMillis());
            found.filter(one -> one.gone() != null).ifPresent(gone -> {
                throw new MemberLostException(List.of(member.id()), member + " is gone: " + gone.gone());
            });
            return found.map(Presence::address).map(MessageAddress::parse);
        } catch (RefusedException | CoordinatorLostException e) {
            throw new MemberLostException(List.of(member.id()), member + " was not found: " + e.getMessage(), e);
        }
    }

    private static RuntimeException meaning(RuntimeException e) {
        if (e instanceof CoordinatorLostException) {
            return new MemberLostException(List.of("coordinator"), e.getMessage(), e);
        }
        return e instanceof RefusedException ? new GroupChangedException(e.getMessage(), e) : e;
    }

    /** Members have come or gone: breaks off with those that are gone, whose connections may still look sound. */
    void membersChanged() {
        MessageExchange now;
        synchronized (this) {
            boolean open = exchange != null && exchange.isDone() && !exchange.isCompletedExceptionally();
            now = open ? exchange.join() : null;
        }
        if (now == null || now.inTouch().isEmpty()) {
            return;
        }
        try {
            Map<String, Presence> living = client.present(null).stream()
                    .collect(Collectors.toMap(one -> one.member().id(), one -> one));
            for (Member peer : now.inTouch()) {
                if (!living.containsKey(peer.id())) {
                    now.giveUp(peer, "the coordinator gave it up");
                }
            }
        } catch (TuttiException e) {
            LOG.debug("it could not be asked who is gone", e);
        }
    }

    @Override
    public void close() {
        CompletableFuture<MessageExchange> last;
        synchronized (this) {
            closed = true;
            last = exchange;
        }
        closeWhenOpen(last);
    }
}
