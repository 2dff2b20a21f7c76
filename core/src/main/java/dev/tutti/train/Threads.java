package dev.tutti.train;

import dev.tutti.comm.Team;
import dev.tutti.tensor.Engine;

/** Workers on threads of this JVM: one for each core unless a number was said. */
final class Threads implements Workplace {
    private Integer workers;

    private Threads() {}

    Threads(int workers) {
        this.workers = workers;
        validate();
    }

    private int workers() {
        return workers == null ? Engine.cores() : workers;
    }

    @Override
    public void validate() {
        if (workers() < 1) {
            throw new TrainingException("expected at least 1 worker, received " + workers);
        }
    }

    @Override
    public Team assemble(Assignment work) {
        return Team.alone(workers());
    }

    @Override
    public String toString() {
        return "threads(" + workers() + ")";
    }
}
