package dev.tutti.bench.harness;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The line protocol with a process that runs workloads.
 *
 * <p>It says with one JSON line that it is ready; then each {@code run WORKLOAD SECONDS} is answered by one JSON line.
 * Lines that do not start with a brace are chatter and passed over.
 */
final class Conversation implements AutoCloseable {
    private final Entrant entrant;
    private final Cores cores;
    private final Children children;
    private final Plan plan;
    private Child child;

    Conversation(Entrant entrant, Cores cores, Children children, Plan plan) {
        this.entrant = entrant;
        this.cores = cores;
        this.children = children;
        this.plan = plan;
    }

    /** Starts the process and waits until it is ready. */
    void begin() {
        child = children.start(entrant.name(), entrant.command(), cores);
        answer(Deadline.in(plan.startDeadline()), "before it was ready");
    }

    /** Has it run a workload for a while (one step, if for no time at all), and gives the numbers of its answer. */
    Map<String, Double> run(String workload, Duration time) {
        child.send(question(workload, time));
        return answer(Deadline.in(time.plus(plan.answerDeadline())), "before it answered")
                .numbers();
    }

    static String question(String workload, Duration time) {
        return "run " + workload + " " + time.toMillis() / 1000.0;
    }

    private Answer answer(Deadline deadline, String when) {
        Optional<String> line = child.nextLine(deadline);
        while (line.isPresent() && !line.get().startsWith("{")) {
            line = child.nextLine(deadline);
        }
        if (line.isEmpty()) {
            throw child.failure("ended with exit code " + child.exitCode(deadline) + " " + when);
        }
        return Answer.of(line.get(), entrant.name());
    }

    @Override
    public void close() {
        if (child != null) {
            child.close();
        }
    }
}
