package dev.tutti.cluster;

import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.ServerSettings;
import java.nio.file.Path;

/** A coordinator that lives in the process of a member or a launcher, and is found through a folder while it does. */
public final class HostedCoordinator implements AutoCloseable {
    private final CoordinatorServer server;
    private final CoordinatorFolder folder; // null: it is not to be found by other processes

    private HostedCoordinator(CoordinatorServer server, CoordinatorFolder folder) {
        this.server = server;
        this.folder = folder;
    }

    /** @param folder where people of this machine look for it, or null for nowhere */
    public static HostedCoordinator start(ServerSettings settings, Path folder) {
        HostedCoordinator hosted = new HostedCoordinator(
                CoordinatorServer.start(settings), folder == null ? null : new CoordinatorFolder(folder));
        try {
            hosted.announce();
            return hosted;
        } catch (RuntimeException e) {
            hosted.close();
            throw e;
        }
    }

    private void announce() {
        if (folder != null) {
            folder.announce(server);
        }
    }

    public CoordinatorServer server() {
        return server;
    }

    @Override
    public void close() {
        if (folder != null) {
            folder.withdraw();
        }
        server.close();
    }
}
