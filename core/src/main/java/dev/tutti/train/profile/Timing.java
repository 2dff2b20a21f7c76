package dev.tutti.train.profile;

import java.util.Arrays;

/**
 * Where the time of one member goes. Written by the threads that do the work, read by those that report what limits a run.
 *
 * <p>Belongs to the thread that trains.
 */
public final class Timing {
    /** What a member can be busy with. */
    public enum Phase {
        /** Waiting for data. */
        FEED,
        /** Forward, backward, and sums within the JVM. */
        COMPUTE,
        /** Waiting for members that are not there yet. */
        WAIT,
        /** Giving and taking gradients or parameters. */
        WIRE,
        /** Moving the parameters. */
        UPDATE
    }

    /** Told of every stretch of time, such as by a trace file. */
    public interface Listener {
        void stretch(Phase phase, long beganNanos, long endedNanos);
    }

    private final long[] nanos = new long[Phase.values().length];
    private Listener listener = (phase, began, ended) -> {};

    /** The listener is told of every activity from now on. */
    public void listener(Listener choice) {
        listener = choice;
    }

    /** Counts the time since {@code beganNanos} and returns now. */
    public long record(Phase phase, long beganNanos) {
        long now = System.nanoTime();
        record(phase, beganNanos, now);
        return now;
    }

    public void record(Phase phase, long beganNanos, long endedNanos) {
        nanos[phase.ordinal()] += endedNanos - beganNanos;
        listener.stretch(phase, beganNanos, endedNanos);
    }

    /** Seconds spent so far. */
    public double seconds(Phase phase) {
        return nanos[phase.ordinal()] / 1e9;
    }

    /** Seconds spent so far in all phases, in their order. */
    public double[] seconds() {
        return Arrays.stream(nanos).mapToDouble(each -> each / 1e9).toArray();
    }
}
