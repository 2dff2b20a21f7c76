package dev.tutti.bench.process;

import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Plan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The line protocol with a process that runs workloads.
 *
 * <p>It says with one JSON line that it is ready; then each {@code run WORKLOAD SECONDS} is answered by one JSON line.
 * Lines that do not start with a brace are chatter and passed over.
 */
public final class Conversation implements AutoCloseable {
    private final Entrant entrant;
    private final List<String> pinning;
    private final BenchProcesses children;
    private final Plan plan;
    private BenchProcess child;

    public Conversation(Entrant entrant, List<String> pinning, BenchProcesses children, Plan plan) {
        this.entrant = entrant;
        this.pinning = List.copyOf(pinning);
        this.children = children;
        this.plan = plan;
    }

    /** Starts the process and waits until it is ready. */
    void begin() {
        child = children.start(entrant.name(), entrant.command(), pinning);
        answer(Deadline.in(plan.startDeadline()), "before it was ready");
    }

    /** Has it run a workload for a while (one step, if for no time at all), and gives the numbers of its answer. */
    Map<String, Double> run(String workload, Duration time) {
        ask(workload, time);
        return answer(time);
    }

    /** Has it begin, and does not wait. */
    void ask(String workload, Duration time) {
        child.send(question(workload, time));
    }

    /** What it found in the time it was asked to take. */
    Map<String, Double> answer(Duration time) {
        return answer(Deadline.in(time.plus(plan.answerDeadline())), "before it answered")
                .numbers();
    }

    public static String question(String workload, Duration time) {
        return "run " + workload + " " + time.toMillis() / 1000.0;
    }

    private ContenderAnswer answer(Deadline deadline, String when) {
        Optional<String> line = child.nextLine(deadline);
        while (line.isPresent() && !line.get().startsWith("{")) {
            line = child.nextLine(deadline);
        }
        if (line.isEmpty()) {
            throw child.failure("ended with exit code " + child.exitCode(deadline) + " " + when);
        }
        return ContenderAnswer.of(line.get(), entrant.name());
    }

    @Override
    public void close() {
        if (child != null) {
            child.close();
        }
    }
}
