package dev.tutti.bench.harness;

import dev.tutti.bench.process.BenchProcesses;
import dev.tutti.bench.process.CommandContender;
import dev.tutti.bench.process.Contender;
import dev.tutti.bench.process.Conversation;
import dev.tutti.bench.process.FirstStepContender;
import dev.tutti.bench.process.FreshContender;
import dev.tutti.bench.process.GivenContender;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.bench.process.SideBySideContender;
import dev.tutti.bench.process.ThroughputContender;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One side of a race: a name, the command that starts it and the way it is measured.
 *
 * @param name as the rows call it: Tutti, PyTorch tuned
 */
public record Entrant(String name, ProcessCommand command, Style style) {
    /** The ways of measuring. */
    public sealed interface Style {}

    /** Kept alive and asked again and again to run a workload for a while; it reports its own numbers. */
    public record Throughput(String workload) implements Style {}

    /**
     * Started afresh each time, warmed up and asked once: for processes that would get in the way of others if they stayed,
     * since they wait for each other.
     */
    public record Fresh(String workload) implements Style {}

    /** Several at the same time that know nothing of each other, each on a core of its own; their numbers are summed. */
    public record SideBySide(String workload, int copies) implements Style {}

    /** No process at all: numbers that are known beforehand, such as a bound or what a formula says. */
    public record Given(Map<String, Double> numbers) implements Style {}

    /** Started afresh each time; the wall time from its start until it has run one step of a workload. */
    public record FirstStep(String workload) implements Style {}

    /** Run from start to end each time; the wall time, and the numbers in the JSON object that it prints. */
    public record WholeCommand() implements Style {}

    public Entrant {
        Objects.requireNonNull(name, "An entrant needs a name.");
        Objects.requireNonNull(command, "An entrant needs a command.");
        Objects.requireNonNull(style, "An entrant needs a style of measuring.");
    }

    /** A bound or the like, said in words. */
    public static Entrant given(String name, String key, double number) {
        return new Entrant(name, ProcessCommand.none("the number " + number), new Given(Map.of(key, number)));
    }

    /** The whole command line for people, with what the process is asked for once it runs. */
    String shown(Cores cores, Plan plan) {
        String pinning = String.join(" ", cores.pinning());
        String line = pinning.isEmpty() ? command.shown() : pinning + " " + command.shown();
        if (style instanceof Throughput throughput) {
            return "echo " + Conversation.question(throughput.workload(), plan.run()) + " | " + line;
        }
        if (style instanceof Fresh fresh) {
            return "echo " + Conversation.question(fresh.workload(), plan.run()) + " | " + line;
        }
        if (style instanceof SideBySide many) {
            String each = "echo " + Conversation.question(many.workload(), plan.run()) + " | " + command.shown();
            return many.copies() + " times at once, each on a core of its own: " + each;
        }
        if (style instanceof FirstStep first) {
            return "echo " + Conversation.question(first.workload(), Duration.ZERO) + " | " + line;
        }
        return style instanceof Given ? command.shown() : line;
    }

    /** Whether it costs nothing to ask it once more. */
    boolean staysAlive() {
        return style instanceof Throughput || style instanceof SideBySide || style instanceof Given;
    }

    /** Makes the contender; nothing is started before it is prepared. */
    Contender enter(BenchProcesses children, Cores cores, Plan plan) {
        Supplier<Conversation> conversations = () -> new Conversation(this, cores.pinning(), children, plan);
        if (style instanceof Throughput throughput) {
            return new ThroughputContender(conversations.get(), throughput.workload(), plan);
        }
        if (style instanceof Fresh fresh) {
            return new FreshContender(conversations, fresh.workload(), plan);
        }
        if (style instanceof SideBySide many) {
            List<Conversation> all = IntStream.range(0, many.copies())
                    .mapToObj(i -> new Conversation(this, Cores.pinning(i), children, plan))
                    .toList();
            return new SideBySideContender(all, many.workload(), plan);
        }
        if (style instanceof FirstStep first) {
            return new FirstStepContender(conversations, first.workload());
        }
        if (style instanceof Given given) {
            return new GivenContender(given.numbers());
        }
        return new CommandContender(this, cores, children, plan);
    }
}
