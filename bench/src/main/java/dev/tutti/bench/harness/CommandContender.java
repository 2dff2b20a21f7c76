package dev.tutti.bench.harness;

import java.util.HashMap;
import java.util.Map;

/** Runs a whole command each time and reads the JSON object that it leaves on standard output. */
final class CommandContender implements Contender {
    private final Entrant entrant;
    private final Cores cores;
    private final Children children;
    private final Plan plan;

    CommandContender(Entrant entrant, Cores cores, Children children, Plan plan) {
        this.entrant = entrant;
        this.cores = cores;
        this.children = children;
        this.plan = plan;
    }

    /** Nothing: a whole command has its own warm-up inside, and users pay for it. */
    @Override
    public void prepare() {}

    @Override
    public Map<String, Double> measure() {
        long start = System.nanoTime();
        try (Child child = children.start(entrant.name(), entrant.command(), cores)) {
            Deadline deadline = Deadline.in(plan.commandDeadline());
            StringBuilder output = new StringBuilder();
            child.endInput();
            child.lines(deadline, line -> output.append(line).append('\n'));
            int code = child.exitCode(deadline);
            double seconds = (System.nanoTime() - start) / 1e9;
            if (code != 0) {
                throw child.failure("ended with exit code " + code);
            }
            Map<String, Double> numbers =
                    new HashMap<>(Answer.of(output.toString(), entrant.name()).numbers());
            numbers.put(Measure.WALL_SECONDS, seconds);
            return numbers;
        }
    }

    @Override
    public void close() {
        // Each measurement ends its own process.
    }
}
