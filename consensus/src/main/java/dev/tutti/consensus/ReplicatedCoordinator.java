package dev.tutti.consensus;

import dev.tutti.TuttiException;
import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.io.FileException;
import dev.tutti.json.ConfigException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of several processes that together are a coordinator. It holds a copy of all facts; while it leads it also listens for members,
 * as a {@link CoordinatorServer} whose log is the replicated one.
 *
 * <p>A new leader replays the facts, as a coordinator that was started again does, and members find it by their list of addresses. An old
 * leader that has not heard of it can decide nothing: each of its facts needs a majority of peers, and is refused as one of an
 * earlier writer.
 */
public final class ReplicatedCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedCoordinator.class);
    private static final long AGAIN_MILLIS = 200;

    private final ServerSettings settings;
    private final String name;
    private final RaftGroupId group;
    private final FactStateMachine machine;
    private final RaftServer raft;
    private final ScheduledExecutorService transitions;
    private volatile boolean leads;
    private volatile CoordinatorServer server; // written by the thread of transitions

    private ReplicatedCoordinator(ServerSettings settings, ReplicationSettings replication) {
        this.settings = settings;
        this.name = replication.self();
        transitions = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "tutti-coordinator-leadership");
            thread.setDaemon(true);
            return thread;
        });
        machine = new FactStateMachine(new FactStateMachine.LeadershipListener() {
            @Override
            public void leads() {
                leads = true;
                then(ReplicatedCoordinator.this::serve, 0);
            }

            @Override
            public void leadsNoMore() {
                leads = false;
                then(ReplicatedCoordinator.this::retire, 0);
            }
        });
        RaftGroup peers = RaftPeerServer.group(replication, settings.token());
        group = peers.getGroupId();
        raft = RaftPeerServer.make(replication, peers, settings.tls(), machine);
    }

    /**
     * Starts this peer. The coordinator answers when a majority of peers is there.
     *
     * @param asked rules, token (the same for all peers) and TLS; where it listens is taken from the peers
     */
    public static ReplicatedCoordinator start(ServerSettings asked, ReplicationSettings replication) {
        CoordinatorPeer own = replication.own();
        ServerSettings settings =
                asked.folder(null).listen(own.members().host(), own.members().port());
        requireProtected(settings);
        ReplicatedCoordinator coordinator = new ReplicatedCoordinator(settings, replication);
        try {
            coordinator.raft.start();
            return coordinator;
        } catch (IOException e) {
            coordinator.close();
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new TuttiException(
                    "peer " + own.name() + " cannot listen for the others on " + own.replicationAddress() + ": "
                            + cause.getMessage(),
                    e);
        }
    }

    private static void requireProtected(ServerSettings settings) {
        TlsFiles tls = settings.tls();
        if (tls != null && tls.trust() == null) {
            throw new ConfigException("peers with TLS show each other their certificates: expected also the"
                    + " certificates that are trusted, received none");
        }
        try {
            if (tls == null
                    && !settings.plainToOthers()
                    && !InetAddress.getByName(settings.host()).isLoopbackAddress()) {
                throw new ConfigException("the peers of the coordinator would speak with other machines on "
                        + settings.host() + " without TLS: give them a certificate, its key and the certificates they"
                        + " trust, or choose plainToOthers in a network you trust");
            }
        } catch (UnknownHostException e) {
            throw new ConfigException("there is no host '" + settings.host() + "'", e);
        }
    }

    /** Whether this peer leads and answers members now. */
    public boolean isServing() {
        return leads && server != null;
    }

    private void then(Runnable task, long millis) {
        try {
            var unused = transitions.schedule(
                    () -> {
                        try {
                            task.run();
                        } catch (RuntimeException e) {
                            LOG.error("A fault of peer {}", name, e);
                        }
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("peer {} is closing", name);
        }
    }

    /** Begins to answer members, with a log that fences all earlier leaders. */
    private void serve() {
        retire();
        if (!leads) {
            return;
        }
        try {
            ReplicatedLog log = ReplicatedLog.open(raft, group, machine, () -> then(this::serve, 0));
            server = CoordinatorServer.start(settings, log);
            LOG.info("peer {} leads: the coordinator listens on {}:{}", name, settings.host(), settings.port());
        } catch (FileException e) {
            LOG.info("peer {} could not begin to lead: {}", name, e.getMessage());
        } catch (TuttiException e) {
            LOG.warn("peer {} leads but cannot answer members, it tries again: {}", name, e.getMessage());
            then(this::serve, AGAIN_MILLIS);
        }
    }

    private void retire() {
        CoordinatorServer old = server;
        if (old != null) {
            server = null;
            old.close();
            LOG.info("peer {} does not answer members any more", name);
        }
    }

    /**
     * Waits until the thread is interrupted.
     *
     * @throws InterruptedException then
     */
    public void await() throws InterruptedException {
        transitions.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        leads = false;
        then(this::retire, 0);
        transitions.shutdown();
        try {
            transitions.awaitTermination(15, TimeUnit.SECONDS);
            raft.close();
        } catch (IOException e) {
            LOG.debug("peer {} did not close in good order", name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
