package dev.tutti.cluster;

import dev.tutti.comm.RoleProgram;
import dev.tutti.comm.Team;
import java.util.Map;

/**
 * The server of one task of a cluster whose processes are started by hand, as TensorFlow's {@code tf.distribute.Server}: {@code new
 * Server(spec).join()} serves until the training is over.
 */
public final class Server implements AutoCloseable {
    private final ClusterSpec spec;
    private final RoleProgram program;
    private Team team;

    /** @param spec whose task is one of another role than the workers' */
    public Server(ClusterSpec spec) {
        this.spec = spec;
        program = RoleProgram.named(spec.task().type()); // before anything is started
    }

    /** The server of the task that the environment names. */
    public static Server fromEnvironment() {
        return new Server(ClusterSpec.fromEnvironment());
    }

    /** Joins the other members; more than once does nothing. */
    public synchronized Server start() {
        if (team == null) {
            team = ExternalCluster.join(spec, null, Map.of(), 0);
        }
        return this;
    }

    /** Serves, and returns when the training is over. */
    public void join() {
        Team joined = start().team;
        try {
            program.run(joined, "");
        } catch (RuntimeException | Error e) {
            joined.failed(e);
            throw e;
        } finally {
            close();
        }
    }

    /**
     * Asks the server, from another thread, to give what it holds to the other servers; {@link #join} returns when they have it.
     *
     * @return whether it does; a program that holds nothing for others does not
     */
    public boolean leave() {
        return program.leave();
    }

    /** Leaves the others. Closing twice does nothing. */
    @Override
    public synchronized void close() {
        if (team != null) {
            team.close();
            team = null;
        }
    }
}
