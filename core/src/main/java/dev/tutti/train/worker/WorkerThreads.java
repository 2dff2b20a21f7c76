package dev.tutti.train.worker;

import dev.tutti.comm.Team;
import dev.tutti.tensor.Engine;
import dev.tutti.train.Launcher;
import dev.tutti.train.TrainingException;
import dev.tutti.train.WorkerTask;
import java.util.OptionalInt;

/** Workers on threads of this JVM: one for each core unless a number was said. */
public final class WorkerThreads implements Launcher {
    private Integer workers;

    private WorkerThreads() {}

    public WorkerThreads(int workers) {
        this.workers = workers;
        validate();
    }

    private int count() {
        return workers == null ? Engine.cores() : workers;
    }

    @Override
    public OptionalInt workers() {
        return OptionalInt.of(count());
    }

    @Override
    public void validate() {
        if (count() < 1) {
            throw new TrainingException("expected at least 1 worker, received " + workers);
        }
        Engine.requireThreads(count());
    }

    @Override
    public Team assemble(WorkerTask work) {
        return Team.alone(count());
    }

    @Override
    public String toString() {
        return "threads(" + count() + ")";
    }
}
