package dev.tutti.bench.strategies;

import dev.tutti.TuttiException;
import dev.tutti.bench.harness.Cores;
import dev.tutti.bench.harness.Entrant;
import dev.tutti.bench.harness.Entrant.WholeCommand;
import dev.tutti.bench.harness.MeasurementSummary;
import dev.tutti.bench.harness.Referee;
import dev.tutti.bench.process.ContenderException;
import dev.tutti.bench.process.ProcessCommand;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The same training with every strategy, all of them in turn, round after round with another seed. */
public final class StrategyStudy {
    /** A strategy as a job file would have it. */
    private record Choice(String name, String text) {}

    private record Case(Choice choice, int members) {
        String title() {
            return choice.name + ", " + members + (members == 1 ? " member" : " members");
        }
    }

    private static final Choice LOCAL = new Choice("local", "local");

    /** The first is what all others are compared with. */
    private static final List<Choice> CHOICES = List.of(
            new Choice("all-reduce", "{type: allReduce}"),
            new Choice("all-reduce, sharded state", "{type: allReduce, shardedState: true}"),
            new Choice("all-reduce, fp16", "{type: allReduce, compression: fp16}"),
            new Choice("all-reduce, bf16", "{type: allReduce, compression: bf16}"),
            new Choice("all-reduce, top 1%", "{type: allReduce, compression: {type: topK, fraction: 0.01}}"),
            new Choice("all-reduce, PowerSGD 2", "{type: allReduce, compression: {type: powerSgd, rank: 2}}"),
            new Choice("averaging, 16 steps", "{type: averaging, everySteps: 16}"),
            new Choice("averaging, 64 steps", "{type: averaging, everySteps: 64}"),
            new Choice("averaging, by samples", "{type: averaging, everySteps: 16, weights: samples}"),
            new Choice("averaging, locally weighted", "{type: averaging, everySteps: 16, weights: locallyWeighted}"),
            new Choice("averaging, Nesterov outside", "{type: averaging, everySteps: 16, outer: nesterov}"),
            new Choice("averaging, each epoch", "{type: averaging, everyEpoch: true}"));

    private final boolean quick;
    private final List<Case> cases;
    private final Map<Case, Map<String, List<Double>>> numbers = new TreeMap<>(this::order);
    private final Map<Case, String> failures = new TreeMap<>(this::order);

    /** @param only leaves out what does not have this in its name */
    public StrategyStudy(boolean quick, String only) {
        this.quick = quick;
        List<Case> all = new ArrayList<>(List.of(new Case(LOCAL, 1)));
        for (int members : new int[] {2, 4}) {
            CHOICES.forEach(choice -> all.add(new Case(choice, members)));
        }
        cases = all.stream()
                .filter(each -> each.title().toLowerCase(Locale.ROOT).contains(only.toLowerCase(Locale.ROOT)))
                .toList();
        if (cases.isEmpty()) {
            throw new TuttiException("No strategy contains '" + only + "' in its name: expected a part of one of "
                    + String.join("; ", all.stream().map(Case::title).toList()));
        }
    }

    private int order(Case a, Case b) {
        return Integer.compare(cases.indexOf(a), cases.indexOf(b));
    }

    /** One round takes eight minutes; differences of accuracy below half a percent are chance. */
    public int repetitions() {
        return 1;
    }

    private int epochs() {
        return quick ? 1 : 3;
    }

    private int rows() {
        return quick ? 6_000 : 60_000;
    }

    /** What is trained, in words. */
    public String description() {
        return String.format(
                Locale.ROOT,
                "The same training with every strategy: MLP 784-256-10 on %,d images of MNIST, %d epoch%s, Adam 1e-3, batches of"
                        + " 128 samples in all, members as JVMs of this machine with one thread each. Bytes are those the"
                        + " first member sends while it trains, seconds those of the training without the start of the"
                        + " JVMs. Medians of %d round%s, each with another seed; the spread is that of the accuracy. \"Of"
                        + " plain\" is beside all-reduce with as many members. More members than cores do not make it"
                        + " faster.",
                rows(),
                epochs(),
                epochs() == 1 ? "" : "s",
                repetitions(),
                repetitions() == 1 ? "" : "s");
    }

    /** Trains with all of them; one that fails gets a row that says so. */
    public List<StrategyRow> run(Referee referee, PrintStream human) {
        for (int round = 0; round < repetitions(); round++) {
            for (Case each : cases) {
                if (!failures.containsKey(each)) {
                    human.printf(
                            Locale.ROOT,
                            "[%d/%d] %s: %s%n",
                            round + 1,
                            repetitions(),
                            each.title(),
                            attempt(referee, each, round));
                }
            }
        }
        return cases.stream().map(this::row).toList();
    }

    private String attempt(Referee referee, Case each, int round) {
        ProcessCommand command = ProcessCommand.java(
                StrategyContender.class,
                each.choice.text,
                Integer.toString(each.members),
                Integer.toString(epochs()),
                Integer.toString(rows()),
                Integer.toString(7 + round));
        try {
            Map<String, Double> found = referee.once(new Entrant(each.title(), command, new WholeCommand()), Cores.ALL);
            found.forEach((key, value) -> numbers.computeIfAbsent(each, any -> new TreeMap<>())
                    .computeIfAbsent(key, any -> new ArrayList<>())
                    .add(value));
            return String.format(
                    Locale.ROOT,
                    "%.2f MB, %.1f s, accuracy %.4f",
                    found.get(StrategyContender.SENT) / 1e6,
                    found.get(StrategyContender.SECONDS),
                    found.get(StrategyContender.ACCURACY));
        } catch (ContenderException e) {
            failures.put(each, e.getMessage());
            return "FAILED. " + e.getMessage();
        }
    }

    private StrategyRow row(Case each) {
        String failure = failures.get(each);
        if (failure != null) {
            return new StrategyRow(each.choice.name, each.choice.text, each.members, null, null, null, failure);
        }
        Map<String, List<Double>> found = numbers.get(each);
        return new StrategyRow(
                each.choice.name,
                each.choice.text,
                each.members,
                MeasurementSummary.of(found.get(StrategyContender.SENT)),
                MeasurementSummary.of(found.get(StrategyContender.SECONDS)),
                MeasurementSummary.of(found.get(StrategyContender.ACCURACY)),
                null);
    }
}
