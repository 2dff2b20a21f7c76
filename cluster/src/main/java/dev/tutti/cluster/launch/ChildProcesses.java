package dev.tutti.cluster.launch;

import dev.tutti.cluster.rpc.CoordinatorServer;
import dev.tutti.cluster.rpc.JoinRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
final class ChildProcesses implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChildProcesses.class);

    private static final long LOOK_MILLIS = 20;
    /** How often it is looked whether those that still run are given up: seconds do not matter there. */
    private static final long LOOK_AGAIN_MILLIS = 200;
    /** What the shell says of a process that was killed, as the given up are. */
    private static final int KILLED = 128 + 9;

    private final CoordinatorServer coordinator;
    private final Consumer<String> output;
    private final List<Child> running = new ArrayList<>();
    private int restarts;
    private int failed;
    private int firstFailure;
    private String firstToFail;
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
    ChildProcesses(CoordinatorServer coordinator, Consumer<String> output, int restarts) {
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
        try {
            running.remove(child);
            int code = child.process.exitValue();
            String how = code > 128 ? "was killed by signal " + (code - 128) : "ended with exit code " + code;
            coordinator.exited(JoinRequest.process(child.process.pid()), how);
            if (!closing && code != 0) {
                fail(child, code, how);
                replace(child, plan);
            }
        } finally {
            notifyAll(); // also after a failure: no thread waits for a process that has ended
        }
    }

    private void fail(Child child, int code, String how) {
        failed++;
        firstFailure = firstFailure == 0 ? code : firstFailure;
        String story = how + lastWords(child);
        firstToFail = firstToFail == null ? child.name + " was the first to fail: it " + story : firstToFail;
        if (!started && startFailure == null) {
            startFailure = child.name + " could not start: it " + story;
        }
        LOG.warn("{} {}", child.name, story);
    }

    private void replace(Child child, Plan plan) {
        if (!started || restarts == 0) {
            return;
        }
        restarts--;
        String successor = successor(child.name);
        try {
            start(successor, plan);
            failed--;
            LOG.info("{} takes the place of {}; {} more may be replaced", successor, child.name, restarts);
        } catch (LaunchException e) {
            LOG.warn("{} is not replaced: {}", child.name, e.getMessage());
        }
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
     * Waits until all have ended by themselves. Ended are those that are left when more have failed than is bearable, or when the
     * coordinator has given up all of them: one that is stopped would never end. One that is heard of, or that has left the others
     * in good order, may go on for as long as it likes.
     *
     * @param bearable how many may fail without ending the others
     * @param grace how long those may go on that are to be ended
     * @return 0, or the exit code of the first that failed where more did than is bearable
     */
    synchronized int await(int bearable, Duration grace) {
        started = true;
        long hopeless = 0; // since when those that are left are to end
        try {
            while (!running.isEmpty()) {
                Map<String, String> lost = lost();
                boolean allLost = lost.size() == running.size();
                if (failed <= bearable && !allLost) {
                    hopeless = 0;
                    wait(LOOK_AGAIN_MILLIS);
                    continue;
                }
                hopeless = hopeless == 0 ? System.nanoTime() : hopeless;
                long left = grace.toMillis() - (System.nanoTime() - hopeless) / 1_000_000;
                if (left <= 0) {
                    giveUp(lost);
                    break;
                }
                wait(Math.min(left, LOOK_AGAIN_MILLIS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return failed > bearable ? firstFailure : 0;
    }

    /** Which process was the first to fail, how it ended and what it said; empty if none has failed. */
    synchronized Optional<String> firstToFail() {
        return Optional.ofNullable(firstToFail);
    }

    /** Those that still run and that the coordinator has given up, with the reason. */
    private Map<String, String> lost() {
        Map<String, String> processes = coordinator.lostProcesses();
        Map<String, String> lost = new LinkedHashMap<>();
        for (Child child : running) {
            String why = processes.get(JoinRequest.process(child.process.pid()));
            if (why != null) {
                lost.put(child.name, why);
            }
        }
        return lost;
    }

    /** Those that are left are ended by {@link #close}; those given up have failed, also if the others succeeded. */
    private void giveUp(Map<String, String> lost) {
        for (Child child : running) {
            String why = lost.get(child.name);
            if (why == null) {
                LOG.warn("{} did not end by itself after others had failed, and is ended", child.name);
            } else {
                failed++;
                firstFailure = firstFailure == 0 ? KILLED : firstFailure;
                firstToFail = firstToFail == null
                        ? child.name + " was the first to fail: it still ran, but was no longer a member: " + why
                        : firstToFail;
                LOG.warn("{} is ended: it still runs, but is no longer a member: {}", child.name, why);
            }
        }
    }

    private static String lastWords(Child child) {
        String reason = child.errors.reason();
        return reason.isEmpty() ? "" : "; it said: " + reason;
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
                if (!atWork.contains(JoinRequest.process(child.process.pid()))) {
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
                if (atWork.contains(JoinRequest.process(child.process.pid()))) { // the others were not asked to
                    LOG.warn("{} did not end by itself within {} s and was ended", child.name, time.toSeconds());
                }
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
