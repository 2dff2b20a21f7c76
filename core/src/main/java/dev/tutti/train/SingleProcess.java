package dev.tutti.train;

import dev.tutti.comm.Team;
import dev.tutti.train.replica.Strategy;
import java.util.OptionalInt;

/** One member in this JVM. */
final class SingleProcess implements Launcher {
    @Override
    public Team assemble(WorkerTask work) {
        return Team.alone(1);
    }

    @Override
    public Strategy defaultStrategy() {
        return Strategy.local();
    }

    @Override
    public OptionalInt workers() {
        return OptionalInt.of(1);
    }

    @Override
    public String toString() {
        return "here()";
    }
}
