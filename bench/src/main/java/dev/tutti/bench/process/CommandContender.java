package dev.tutti.bench.process;

import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Measure;
import dev.tutti.bench.harness.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a whole command each time and reads the JSON object that it leaves on standard output. */
public final class CommandContender implements Contender {
    private final Entrant entrant;
    private final Cores cores;
    private final BenchProcesses children;
    private final Plan plan;

    public CommandContender(Entrant entrant, Cores cores, BenchProcesses children, Plan plan) {
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
        try (BenchProcess child = children.start(entrant.name(), entrant.command(), cores)) {
            Deadline deadline = Deadline.in(plan.commandDeadline());
            List<String> output = new ArrayList<>();
            child.endInput();
            child.lines(deadline, output::add);
            int code = child.exitCode(deadline);
            double seconds = (System.nanoTime() - start) / 1e9;
            if (code != 0) {
                throw child.failure("ended with exit code " + code);
            }
            Map<String, Double> numbers = new HashMap<>(
                    ContenderAnswer.of(object(output), entrant.name()).numbers());
            numbers.put(Measure.WALL_SECONDS, seconds);
            return numbers;
        }
    }

    /** The object without what native libraries print before and behind it; everything, where there is none. */
    private static String object(List<String> lines) {
        int first = 0;
        while (first < lines.size() && !lines.get(first).startsWith("{")) {
            first++;
        }
        int last = lines.size();
        while (last > first && !lines.get(last - 1).endsWith("}")) {
            last--;
        }
        return String.join("\n", first < last ? lines.subList(first, last) : lines);
    }

    @Override
    public void close() {
        // Each measurement ends its own process.
    }
}
