package dev.tutti.testkit;

import dev.tutti.TuttiException;
import dev.tutti.cluster.launch.ChildJvm;
import dev.tutti.json.Json;
import dev.tutti.testkit.fault.Fault;
import dev.tutti.testkit.fault.FaultSchedule;
import dev.tutti.testkit.fault.ProcessState;
import dev.tutti.testkit.fault.Signals;
import dev.tutti.testkit.fault.SlowedProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Real JVMs that train together while a {@link FaultSchedule} of faults is carried out on them. The JVM that watches is none of them, so
 * that every one can be killed.
 *
 * <p>Order of calls: one of the two ways to start it, {@link #await} once, {@link #close}.
 */
public final class ProcessCluster implements AutoCloseable, Fault.Victims {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessCluster.class);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    private static final long DAWDLE_MILLIS = 500;
    private static final long LOOK_MILLIS = 50;

    private final TrainingScenario scenario;
    private final Set<ProcessHandle> seen = ConcurrentHashMap.newKeySet();
    private final List<FaultSchedule.Strike> open = new ArrayList<>();
    private final Signals signals = new Signals();
    private final SlowedProcesses slowness = new SlowedProcesses(signals);
    private final Map<String, MemberProcess> processes = new ConcurrentHashMap<>();
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "testkit-later");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicInteger toCome = new AtomicInteger();
    private volatile String dawdleUntil;
    private ManualCluster byHand;

    /**
     * Something that was seen.
     *
     * @param fault what struck, or null for a step
     */
    public record Event(long nanos, String member, int epoch, long step, Fault fault) {}

    private ProcessCluster(TrainingScenario scenario, FaultSchedule schedule) {
        this.scenario = scenario;
        open.addAll(schedule.strikes());
    }

    /** One JVM does the scenario and starts the others itself, as {@code Cluster.processes(n)} does. It is member 0. */
    public static ProcessCluster driven(TrainingScenario scenario, FaultSchedule schedule) {
        ProcessCluster cluster = new ProcessCluster(scenario, schedule);
        cluster.play("worker-0", scenario, ChildJvm.of(TrainingScenarioMain.class.getName(), "worker-0", List.of()));
        return cluster;
    }

    /** A coordinator in a JVM of its own and members that were started by hand and find it by a spec. */
    public static ProcessCluster byHand(TrainingScenario scenario, ManualCluster settings, FaultSchedule schedule) {
        ProcessCluster cluster = new ProcessCluster(scenario, schedule);
        cluster.byHand = settings;
        settings.startCoordinator();
        for (int i = 0; i < settings.members(); i++) {
            cluster.join();
        }
        return cluster;
    }

    private void play(String name, TrainingScenario work, ChildJvm jvm) {
        String greeting = Json.write(work).replace("\n", " ");
        processes.put(name, new MemberProcess(name, jvm, greeting, this::step));
    }

    private void step(String process, int epoch, long step) {
        List<FaultSchedule.Strike> due = new ArrayList<>();
        synchronized (open) {
            events.add(new Event(System.nanoTime(), process, epoch, step, null));
            open.removeIf(strike -> strike.due(epoch, step) && due.add(strike));
        }
        for (FaultSchedule.Strike strike : due) {
            if (strike.millis() == 0) {
                strike(strike);
            } else {
                toCome.incrementAndGet();
                var unused = later.schedule(() -> strikeLater(strike), strike.millis(), TimeUnit.MILLISECONDS);
            }
        }
        dawdle();
    }

    private void strikeLater(FaultSchedule.Strike strike) {
        strike(strike);
        toCome.decrementAndGet();
    }

    private void strike(FaultSchedule.Strike strike) {
        LOG.info("{}", strike);
        lookAround();
        try {
            strike.fault().strike(this);
        } catch (RuntimeException e) {
            LOG.error("{} could not be done", strike, e);
        }
        events.add(new Event(System.nanoTime(), null, strike.epoch(), strike.step(), strike.fault()));
    }

    private void lookAround() {
        processes
                .values()
                .forEach(process -> process.process()
                        .descendants()
                        .filter(child -> ChildJvms.name(child).isPresent()) // not the shell that sends signals
                        .forEach(seen::add));
    }

    // ---- faults

    private Optional<ProcessHandle> jvm(String member) {
        return ChildJvms.of(
                member, processes.values().stream().map(MemberProcess::process).toList());
    }

    private void signal(String signal, int member) {
        signal(signal, "worker-" + member);
    }

    private void signal(String signal, String member) {
        jvm(member)
                .ifPresentOrElse(
                        found -> signals.send(signal, found.pid()),
                        () -> LOG.info("there is no JVM of {} to send {} to", member, signal));
    }

    @Override
    public void signalServer(int server, String signal) {
        signal(signal, "server-" + server);
    }

    @Override
    public void kill(int member) {
        signal("KILL", member);
    }

    @Override
    public void hang(int member) {
        signal("STOP", member);
    }

    @Override
    public void resume(int member) {
        signal("CONT", member);
    }

    @Override
    public void slow(int member, double times) {
        jvm("worker-" + member).ifPresent(process -> slowness.set(process.pid(), times));
    }

    @Override
    public void join() {
        String name = "worker-" + processes.size();
        int index = processes.size();
        ManualCluster settings = handMade("join");
        play(name, settings.drillOf(index, scenario), settings.member(index));
    }

    @Override
    public void cut(int member, Duration time) {
        handMade("cut").link("worker-" + member).cut(time);
    }

    @Override
    public void await(String text) {
        long deadline = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (log().noneMatch(line -> line.contains(text))) {
            if (System.nanoTime() > deadline) {
                LOG.warn("no member wrote '{}' within {} s", text, LONGEST_WAIT.toSeconds());
                return;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void dawdle(String text) {
        dawdleUntil = text;
    }

    private void dawdle() {
        String text = dawdleUntil;
        if (text == null) {
            return;
        }
        if (log().anyMatch(line -> line.contains(text))) {
            dawdleUntil = null;
            return;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(DAWDLE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Stream<String> log() {
        Stream<String> members = processes.values().stream().flatMap(process -> process.said().stream());
        return byHand == null ? members : Stream.concat(members, byHand.said().stream());
    }

    @Override
    public void killCoordinator() {
        handMade("killCoordinator").killCoordinator();
    }

    @Override
    public void startCoordinator() {
        handMade("startCoordinator").startCoordinator();
    }

    private ManualCluster handMade(String fault) {
        if (byHand == null) {
            throw new TuttiException(fault + " is for members that were started by hand: ProcessCluster.byHand(...)");
        }
        return byHand;
    }

    // ---- what came of it

    /**
     * What came of a scenario.
     *
     * @param results of the members that this JVM started and that were not killed
     * @param hung members that were neither done nor failed in time; empty, one hopes
     * @param events steps and faults as they came
     * @param log what the members wrote
     */
    public record Outcome(Map<String, MemberResult> results, List<String> hung, List<Event> events, List<String> log) {
        /** The only result, or the first of several. */
        public MemberResult first() {
            return results.values().iterator().next();
        }

        /** Seconds from the first fault of a kind to the first step after it. */
        public double secondsToNextStep(Class<? extends Fault> kind) {
            Event struck = events.stream()
                    .filter(event -> kind.isInstance(event.fault))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("there was no " + kind.getSimpleName()));
            return events.stream()
                    .filter(event -> event.fault == null && event.nanos > struck.nanos)
                    .mapToLong(event -> event.nanos - struck.nanos)
                    .findFirst()
                    .stream()
                    .mapToDouble(nanos -> nanos / 1e9)
                    .findFirst()
                    .orElse(Double.POSITIVE_INFINITY);
        }
    }

    /** JVMs that were started by members and are still alive some time after. */
    public List<String> orphans(Duration after) {
        long deadline = System.nanoTime() + after.toNanos();
        // Asked again and again: a driver that is stopped does not bury its dead, who would count as alive.
        while (!left().isEmpty() && System.nanoTime() < deadline) {
            pause(LOOK_MILLIS);
        }
        return left().stream()
                .map(process -> ChildJvms.name(process).orElse("?") + " " + process.pid())
                .toList();
    }

    /** Wakes a driver that was stopped, who passes on what those it had started wrote before they ended. */
    public List<String> lastWordsToDriver() {
        resume(0);
        MemberProcess driver = processes.get("worker-0");
        driver.process()
                .onExit()
                .orTimeout(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                .exceptionally(late -> null)
                .join();
        return driver.said();
    }

    private List<ProcessHandle> left() {
        return seen.stream()
                .filter(process -> ProcessState.of(process.pid()) != ProcessState.ENDED)
                .toList();
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for others", e);
        }
    }

    /** Waits until all have ended, though not for longer than the limit. Members that hang at that time are stopped ones or hung. */
    public Outcome await(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        Map<String, MemberResult> results = new TreeMap<>();
        List<String> hung = new ArrayList<>();
        Map<String, MemberProcess> waited = new LinkedHashMap<>();
        while (waited.size() < processes.size()) { // others may join
            for (MemberProcess process : new TreeMap<>(processes).values()) {
                if (waited.putIfAbsent(process.name(), process) == null && !ended(process, deadline)) {
                    hung.add(process.name());
                }
            }
        }
        if (!hung.isEmpty()) {
            LOG.error("{} did not end within {} s\n{}", hung, limit.toSeconds(), Stacks.all());
        }
        waited.values().forEach(process -> {
            if (!hung.contains(process.name())) {
                process.result().ifPresent(result -> results.put(process.name(), result));
            }
        });
        return new Outcome(results, hung, List.copyOf(events), log().toList());
    }

    private boolean ended(MemberProcess process, long deadline) {
        try {
            while (!process.process().waitFor(100, TimeUnit.MILLISECONDS)) {
                if (byHand == null) {
                    lookAround(); // those it starts are not known any more once it was killed
                }
                if (System.nanoTime() > deadline) {
                    return ProcessState.of(process.process().pid()) == ProcessState.STOPPED;
                }
                if (ProcessState.of(process.process().pid()) == ProcessState.STOPPED && othersEnded(process)) {
                    return true; // stopped on purpose, and no member is left that waits for it
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Whether no member is left that could wait for this process, and no fault that could continue it. */
    private boolean othersEnded(MemberProcess process) {
        return toCome.get() == 0
                && processes.values().stream()
                        .noneMatch(other -> other != process
                                && other.process().isAlive()
                                && ProcessState.of(other.process().pid()) != ProcessState.STOPPED);
    }

    /** Kills all processes that are left. */
    @Override
    public void close() {
        later.shutdownNow();
        slowness.close();
        processes.values().forEach(process -> {
            process.process().descendants().forEach(ProcessHandle::destroyForcibly);
            process.process().destroyForcibly();
        });
        seen.forEach(ProcessHandle::destroyForcibly);
        if (byHand != null) {
            byHand.close();
        }
        signals.close();
    }
}
