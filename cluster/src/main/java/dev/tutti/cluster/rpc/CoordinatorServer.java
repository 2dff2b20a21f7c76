package dev.tutti.cluster.rpc;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.tutti.TuttiException;
import dev.tutti.cluster.coordinator.Coordinator;
import dev.tutti.cluster.coordinator.Event;
import dev.tutti.cluster.coordinator.MembershipRules;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.journal.CoordinatorLog;
import dev.tutti.cluster.journal.Journal;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;

/**
 * A coordinator that members reach over the network.
 *
 * <p>Started again with the same folder, port and token it goes on where it was, and its members find it again.
 */
public final class CoordinatorServer implements AutoCloseable {
    /** How long a connection without a call that was let in stays open. */
    private static final long STRANGER_SECONDS = 5;

    private static final int IO_THREADS = 2;
    /** Connections that are closed have a last word to the threads that served them. */
    private static final long QUIET_MILLIS = 50;

    /** A member makes a handful at a time. */
    private static final int MOST_CALLS = 64;

    private static final int MOST_CONNECTIONS = 8_192;

    private final ServerSettings settings;
    private final LiveCoordinator coordinator;
    private final ExecutorService executor;
    private final Server server;
    private final EventLoopGroup connections;

    private CoordinatorServer(
            ServerSettings settings,
            LiveCoordinator coordinator,
            ExecutorService executor,
            Server server,
            EventLoopGroup connections) {
        this.connections = connections;
        this.settings = settings;
        this.coordinator = coordinator;
        this.executor = executor;
        this.server = server;
    }

    /** Starts one; it is ready when this returns. */
    public static CoordinatorServer start(ServerSettings settings) {
        settings.address(); // before a journal is made
        return start(settings, settings.folder() == null ? null : Journal.open(settings.folder()));
    }

    /**
     * The same with a log of one's own, such as one that is replicated.
     *
     * @param journal closed with the server; null for none: then it does not survive its process
     */
    public static CoordinatorServer start(ServerSettings settings, CoordinatorLog journal) {
        InetSocketAddress address = settings.address();
        LiveCoordinator coordinator = new LiveCoordinator(settings.rules(), journal);
        AtomicInteger count = new AtomicInteger();
        ExecutorService executor = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "tutti-coordinator-" + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
        EventLoopGroup connections =
                new NioEventLoopGroup(IO_THREADS, new DefaultThreadFactory("tutti-coordinator-io", true));
        int most = mostConnections(settings.rules());
        try {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                    .executor(executor)
                    .channelFactory(() -> new CappedServerChannel(most))
                    .bossEventLoopGroup(connections)
                    .workerEventLoopGroup(connections)
                    // A connection that sends nothing, or nothing that is admitted, is closed.
                    .handshakeTimeout(STRANGER_SECONDS, TimeUnit.SECONDS)
                    .maxConnectionIdle(STRANGER_SECONDS, TimeUnit.SECONDS)
                    .maxConcurrentCallsPerConnection(MOST_CALLS)
                    .maxInboundMessageSize(CoordinatorProtocol.LARGEST)
                    .maxInboundMetadataSize(CoordinatorProtocol.LARGEST_METADATA)
                    .permitKeepAliveTime(1, TimeUnit.SECONDS)
                    .permitKeepAliveWithoutCalls(true)
                    .addService(ServerInterceptors.intercept(
                            new CoordinatorService(coordinator).definition(), new TokenCheck(settings.token())));
            if (settings.tls() != null) {
                builder.sslContext(sslContext(settings.tls()));
            }
            Server server = builder.build().start();
            return new CoordinatorServer(settings, coordinator, executor, server, connections);
        } catch (IOException e) {
            coordinator.close();
            executor.shutdownNow();
            var unused = connections.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new TuttiException(
                    "the coordinator cannot listen on " + settings.host() + ":" + settings.port() + ": "
                            + cause.getMessage() + ". Choose another port, or 0 for any that is free",
                    e);
        } catch (RuntimeException e) {
            coordinator.close();
            executor.shutdownNow();
            var unused = connections.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw e;
        }
    }

    /** Some for every worker and for onlookers, but never so many that no descriptors are left for this process itself. */
    private static int mostConnections(MembershipRules rules) {
        int wanted = (int) Math.min(MOST_CONNECTIONS, 256 + 8L * rules.max());
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        return system instanceof UnixOperatingSystemMXBean unix
                ? (int) Math.max(16, Math.min(wanted, unix.getMaxFileDescriptorCount() / 2))
                : wanted;
    }

    private static SslContext sslContext(TlsFiles tls) {
        try {
            SslContextBuilder builder = GrpcSslContexts.forServer(
                    tls.certificate().toFile(), tls.key().toFile());
            if (tls.trust() != null) {
                builder.trustManager(tls.trust().toFile()).clientAuth(ClientAuth.REQUIRE);
            }
            return builder.build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new TuttiException(
                    tls.certificate() + " and " + tls.key() + " cannot be used: expected a certificate and its key in"
                            + " PEM format (PKCS#8): " + e.getMessage(),
                    e);
        }
    }

    public int port() {
        return server.getPort();
    }

    /** Where members of the same machine, or those that know this one by the host it listens on, reach it. */
    public CoordinatorAddress address() {
        return new CoordinatorAddress(settings.host(), port(), settings.token());
    }

    public MembershipRules rules() {
        return settings.rules();
    }

    /** How the job is doing. */
    public Overview overview() {
        return coordinator.ask((machine, now) -> machine.overview(now));
    }

    /** The processes of those among some members that are still there or have left in good order. */
    public Set<String> processesOf(Collection<String> members) {
        return coordinator.ask((Coordinator machine) -> machine.processesOf(members));
    }

    /** Processes whose last member was lost, and why. */
    public Map<String, String> lostProcesses() {
        return coordinator.ask((Coordinator machine) -> machine.lostProcesses());
    }

    /** Says, as a launcher that saw it, that a process has ended: its members are gone at once. */
    public void exited(String process, String how) {
        coordinator.apply(new Event.Exited(process, how));
    }

    /** Changes the job's configuration while it runs; null takes a key away. */
    public void configure(String key, String value) {
        coordinator.apply(new Event.Configure(key, value));
    }

    /**
     * Waits until the coordinator cannot go on.
     *
     * @throws TuttiException with the reason
     * @throws InterruptedException if the thread is interrupted before
     */
    public void awaitFailure() throws InterruptedException {
        try {
            throw coordinator.end().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it is never completed in that way
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
        coordinator.close();
        try {
            server.awaitTermination(5, TimeUnit.SECONDS); // it needs the executor for its last words
            executor.shutdown();
            connections
                    .shutdownGracefully(QUIET_MILLIS, 2_000, TimeUnit.MILLISECONDS)
                    .await(5, TimeUnit.SECONDS);
            executor.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
