package dev.tutti.app.command;

import dev.tutti.app.ExitCode;
import dev.tutti.cluster.launch.HandledSignal;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Turns the first Ctrl-C (or SIGTERM) into a wish to stop, and lets the second one end the process at once.
 *
 * <p>A shutdown hook could wait for the checkpoint as well, but would never hear of the second Ctrl-C. Where signals cannot be
 * handled, Ctrl-C ends the process as it always does, and the last checkpoint on disk counts.
 */
public final class Interruption implements BooleanSupplier, AutoCloseable {
    private final Runnable first;
    private final List<HandledSignal> signals;
    private volatile boolean wanted;

    private Interruption(Runnable first) {
        this.first = first;
        this.signals = Stream.of("INT", "TERM")
                .map(name -> HandledSignal.take(name, this::heard))
                .toList();
    }

    /** Listens from now on; {@code first} is run, on another thread, when the wish is heard for the first time. */
    public static Interruption listen(Runnable first) {
        return new Interruption(first);
    }

    private void heard() {
        if (wanted) {
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED.number());
        }
        wanted = true;
        first.run();
    }

    @Override
    public boolean getAsBoolean() {
        return wanted;
    }

    /** Gives the signals back to whom they belonged. */
    @Override
    public void close() {
        signals.forEach(HandledSignal::close);
    }
}
