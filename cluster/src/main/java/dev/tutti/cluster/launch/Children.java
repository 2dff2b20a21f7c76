package dev.tutti.cluster.launch;

import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.Newcomer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JVMs that this one has started. They end when this one does: each holds the other end of its standard input.
 *
 * <p>The coordinator hears at once when one of them has ended. One that was lost may be started again, under another name.
 */
final class Children implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Children.class);

    private static final long LOOK_MILLIS = 20;

    private final CoordinatorServer coordinator;
    private final Consumer<String> output;
    private final List<Child> running = new ArrayList<>();
    private int restarts;
    private int failed;
    private int firstFailure;
    private boolean started;
    private String startFailure;
    private boolean closing;

    /** What is to be run, and what it is told. */
    interface Plan {
        /** Starts the JVM with a name. */
        Process start(String name);

        /** What it reads first. */
        String greeting(String name);
    }

    private record Child(String name, Process process, OutputPump errors) {}

    /**
     * @param output takes what they write, line by line, prefixed with their names
     * @param restarts how many lost ones are replaced in all
     */
    Children(CoordinatorServer coordinator, Consumer<String> output, int restarts) {
        this.coordinator = coordinator;
        this.output = output;
        this.restarts = restarts;
    }

    synchronized void start(String name, Plan plan) {
        if (closing) {
            return;
        }
        Process process = plan.start(name);
        OutputPump ignored = new OutputPump(name, process.getInputStream(), output);
        Child child = new Child(name, process, new OutputPump(name, process.getErrorStream(), output));
        running.add(child);
        try {
            OutputStream input = process.getOutputStream();
            input.write((plan.greeting(name) + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush(); // and left open: its end tells them that this JVM has ended
        } catch (IOException e) {
            LOG.debug("{} ended before it was told anything: {}", name, e.getMessage());
        }
        var unused = process.onExit().thenAccept(ended -> ended(child, plan));
    }

    private synchronized void ended(Child child, Plan plan) {
        running.remove(child);
        int code = child.process.exitValue();
        String how = code > 128 ? "was killed by signal " + (code - 128) : "ended with exit code " + code;
        coordinator.exited(Newcomer.process(child.process.pid()), how);
        if (closing || code == 0) {
            notifyAll();
            return;
        }
        failed++;
        firstFailure = firstFailure == 0 ? code : firstFailure;
        if (!started && startFailure == null) {
            startFailure = child.name + " could not start: it " + how + lastWords(child);
        }
        LOG.warn("{} {}{}", child.name, how, lastWords(child));
        if (started && restarts > 0) {
            restarts--;
            String successor = successor(child.name);
            LOG.info("{} takes the place of {}; {} more may be replaced", successor, child.name, restarts);
            failed--;
            start(successor, plan);
        }
        notifyAll();
    }

    /**
     * Waits until so many members have come to the coordinator. From then on those that are lost are replaced.
     *
     * @throws LaunchException if one fails before: what keeps one from starting would keep its successors
     */
    synchronized void awaitStart(int members, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (startFailure == null
                    && coordinator.overview().members().size() < members
                    && System.nanoTime() < deadline) {
                wait(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        started = true;
        if (startFailure != null) {
            throw new LaunchException(startFailure);
        }
    }

    /**
     * Waits until all have ended by themselves.
     *
     * @param bearable how many may fail without ending the others
     * @param grace how long the others may go on after more than that
     * @return 0, or the exit code of the first that failed where more did than is bearable
     */
    synchronized int await(int bearable, Duration grace) {
        started = true;
        long deadline = 0;
        try {
            while (!running.isEmpty()) {
                if (failed <= bearable) {
                    wait();
                } else {
                    deadline = deadline == 0 ? System.nanoTime() + grace.toNanos() : deadline;
                    long left = (deadline - System.nanoTime()) / 1_000_000;
                    if (left <= 0) {
                        LOG.warn(
                                "{} did not end by themselves and were ended",
                                running.stream().map(Child::name).toList());
                        break;
                    }
                    wait(left);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return failed > bearable ? firstFailure : 0;
    }

    private static String lastWords(Child child) {
        List<String> lines = child.errors.last();
        return lines.isEmpty() ? "" : "; it said: " + lines.get(lines.size() - 1);
    }

    /** {@code worker-1} is followed by {@code worker-1b}, that by {@code worker-1c}: names are never given twice. */
    static String successor(String name) {
        char last = name.charAt(name.length() - 1);
        return last >= 'b' && last < 'z' ? name.substring(0, name.length() - 1) + (char) (last + 1) : name + "b";
    }

    /**
     * Gives those that were at work to the last some time to end by themselves, then ends them; all others at once, since a JVM that
     * is stopped, or that was still being started, has nothing to finish.
     *
     * @param atWork processes of the last group
     */
    void endWithin(Duration time, Set<String> atWork) {
        List<Child> left;
        synchronized (this) {
            closing = true;
            for (Child child : running) {
                if (!atWork.contains(Newcomer.process(child.process.pid()))) {
                    child.process.destroyForcibly();
                }
            }
            left = List.copyOf(running);
        }
        long deadline = System.nanoTime() + time.toNanos();
        for (Child child : left) {
            try {
                child.process.onExit().get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                LOG.warn("{} did not end by itself within {} s and was ended", child.name, time.toSeconds());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (java.util.concurrent.ExecutionException e) {
                throw new IllegalStateException(e); // waiting for an exit does not fail
            }
        }
        left.forEach(child -> child.process.destroyForcibly());
    }

    @Override
    public void close() {
        endWithin(Duration.ZERO, Set.of());
    }
}
