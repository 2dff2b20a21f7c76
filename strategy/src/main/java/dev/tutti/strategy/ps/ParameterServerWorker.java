package dev.tutti.strategy.ps;

import dev.tutti.Experimental;
import dev.tutti.comm.Team;
import dev.tutti.table.TableSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A worker with a loop of its own: to be extended by a program that computes gradients in its own way.
 *
 * <p>Order of calls: {@link #configure} once; {@link #start}, which meets the other workers and calls {@link #work}; {@link #stop} from any
 * thread, after which {@link #work} is expected to return.
 */
@Experimental
public abstract class ParameterServerWorker {
    private long length;
    private int shards = 1;
    private List<TableSpec> tables = List.of();
    private Duration patience = Duration.ofSeconds(60);
    private volatile boolean stopped;

    /**
     * Says what the servers hold.
     *
     * @param elements of the vector
     * @param servers that it is divided among
     * @param specs tables beside it
     */
    public ParameterServerWorker configure(long elements, int servers, TableSpec... specs) {
        length = elements;
        shards = servers;
        tables = List.of(specs);
        return this;
    }

    /** How long a server may not answer; 60 s unless it is said. */
    public ParameterServerWorker patience(Duration wait) {
        patience = Objects.requireNonNull(wait, "wait");
        return this;
    }

    /** Meets the other workers and works; returns when the work is done. The caller closes the team. */
    public final void start(Team team) {
        team.meet(0);
        work(team, new ParameterClient(team, team.messages().self().id(), length, shards, tables, patience));
    }

    /** Pulls, computes and pushes, until it is done or {@link #isStopped}. */
    protected abstract void work(Team team, ParameterClient parameters);

    /** Asks the worker to end after what it is doing. */
    public final void stop() {
        stopped = true;
    }

    protected final boolean isStopped() {
        return stopped;
    }
}
