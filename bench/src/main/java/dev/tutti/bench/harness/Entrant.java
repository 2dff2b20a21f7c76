package dev.tutti.bench.harness;

import java.time.Duration;
import java.util.Objects;

/**
 * One side of a race: a name, the command that starts it and the way it is measured.
 *
 * @param name as the rows call it: Tutti, PyTorch tuned
 */
public record Entrant(String name, Command command, Style style) {
    /** The ways of measuring. */
    public sealed interface Style {}

    /** Kept alive and asked again and again to run a workload for a while; it reports its own numbers. */
    public record Throughput(String workload) implements Style {}

    /** Started afresh each time; the wall time from its start until it has run one step of a workload. */
    public record FirstStep(String workload) implements Style {}

    /** Run from start to end each time; the wall time, and the numbers in the JSON object that it prints. */
    public record WholeCommand() implements Style {}

    public Entrant {
        Objects.requireNonNull(name, "An entrant needs a name.");
        Objects.requireNonNull(command, "An entrant needs a command.");
        Objects.requireNonNull(style, "An entrant needs a style of measuring.");
    }

    /** The whole command line for people, with what the process is asked for once it runs. */
    String shown(Cores cores, Plan plan) {
        String pinning = String.join(" ", cores.pinning());
        String line = pinning.isEmpty() ? command.shown() : pinning + " " + command.shown();
        if (style instanceof Throughput throughput) {
            return "echo " + Conversation.question(throughput.workload(), plan.run()) + " | " + line;
        }
        if (style instanceof FirstStep first) {
            return "echo " + Conversation.question(first.workload(), Duration.ZERO) + " | " + line;
        }
        return line;
    }

    /** Makes the contender; nothing is started before it is prepared. */
    Contender enter(Children children, Cores cores, Plan plan) {
        if (style instanceof Throughput throughput) {
            return new ThroughputContender(new Conversation(this, cores, children, plan), throughput.workload(), plan);
        }
        if (style instanceof FirstStep first) {
            return new FirstStepContender(() -> new Conversation(this, cores, children, plan), first.workload());
        }
        return new CommandContender(this, cores, children, plan);
    }
}
