package dev.tutti.plan;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The run that is recommended, and why.
 *
 * @param lines the two lines of the job file that choose it
 */
public record Recommendation(RunEstimate run, String why, List<String> lines) {
    /** Nodes that do less than this part of what they do alone are paid for in vain. */
    static final double LEAST_EFFICIENCY = 0.5;

    /** Less speed than this is given up for a result that equals that of one machine. */
    private static final double WORTH_EXACTNESS = 2;

    /** Members that train apart need so many batches of an epoch each, or their results have little in common. */
    static final int BATCHES_APART = 10;

    /**
     * The fastest exact run that fits and whose nodes do at least half of what each does alone; one that is not exact only where that is twice
     * as fast and members have enough batches each. On the fewest nodes where no number of nodes is worth it.
     *
     * @param job whose length says how many members may train apart
     */
    static Optional<Recommendation> of(List<RunEstimate> runs, JobProfile job) {
        boolean lengthKnown = job.steps().isPresent();
        long batches = lengthKnown ? job.steps().getAsLong() / job.epochs() : Long.MAX_VALUE;
        List<RunEstimate> fitting = runs.stream()
                .filter(run -> run.exact() || (long) run.nodes() * BATCHES_APART <= batches)
                .filter(run -> run.fits() && !(lengthKnown && run.seconds().isEmpty()))
                .toList();
        List<RunEstimate> worth = fitting.stream()
                .filter(run -> run.efficiency() >= LEAST_EFFICIENCY)
                .toList();
        boolean isWorth = !worth.isEmpty();
        List<RunEstimate> candidates = isWorth ? worth : cheapest(fitting);
        Optional<RunEstimate> exact = fastest(candidates, true);
        Optional<RunEstimate> any = fastest(candidates, false);
        if (any.isEmpty()) {
            return Optional.empty();
        }
        RunEstimate best = exact.filter(run -> any.get().samplesPerSecond() < WORTH_EXACTNESS * run.samplesPerSecond())
                .orElse(any.get());
        return Optional.of(new Recommendation(best, why(best, fitting, isWorth, any.get()), lines(best)));
    }

    /** Where no run is efficient, those on the fewest nodes. */
    private static List<RunEstimate> cheapest(List<RunEstimate> runs) {
        int fewest = runs.stream().mapToInt(RunEstimate::nodes).min().orElse(1);
        return runs.stream().filter(run -> run.nodes() == fewest).toList();
    }

    private static Optional<RunEstimate> fastest(List<RunEstimate> runs, boolean exactOnly) {
        return runs.stream()
                .filter(run -> run.exact() || !exactOnly)
                .max(Comparator.comparingDouble(RunEstimate::samplesPerSecond)
                        .thenComparingDouble(run -> -run.memoryBytes()));
    }

    /** Workers that do not wait for each other compute their batches side by side: a batch is done more often than one takes. */
    private static String pace(RunEstimate run) {
        return run.computeSeconds() <= run.step()
                ? String.format(
                        Locale.ROOT,
                        "%.1f ms a step, of which %.1f ms computing",
                        run.step() * 1000,
                        run.computeSeconds() * 1000)
                : String.format(
                        Locale.ROOT,
                        "a batch every %.1f ms, each of them computed for %.1f ms by a worker of its own",
                        run.step() * 1000,
                        run.computeSeconds() * 1000);
    }

    private static String why(RunEstimate best, List<RunEstimate> fitting, boolean isWorth, RunEstimate fastest) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s on %d node%s: %s; %.0f samples/s, each node does %.0f%% of what it does alone",
                best.strategy(),
                best.nodes(),
                best.nodes() == 1 ? "" : "s",
                pace(best),
                best.samplesPerSecond(),
                best.efficiency() * 100));
        if (!isWorth) {
            text.append("; no run on more nodes is worth them: at least half of each node is lost to messages");
        } else {
            fitting.stream()
                    .filter(run -> run.nodes() > best.nodes() && run.exact() == best.exact())
                    .max(Comparator.comparingDouble(RunEstimate::samplesPerSecond))
                    .ifPresent(more -> text.append(String.format(
                            Locale.ROOT,
                            "; the best of more nodes, %s on %d, does %.1f times as much with %.1f times the nodes",
                            more.strategy(),
                            more.nodes(),
                            more.samplesPerSecond() / best.samplesPerSecond(),
                            (double) more.nodes() / best.nodes())));
        }
        if (!fastest.equals(best)) {
            text.append(String.format(
                    Locale.ROOT,
                    "; %s on %d nodes is %.1f times as fast, but its result is not that of one machine",
                    fastest.strategy(),
                    fastest.nodes(),
                    fastest.samplesPerSecond() / best.samplesPerSecond()));
        }
        return text.toString();
    }

    private static List<String> lines(RunEstimate run) {
        String cluster = run.nodes() == 1 ? "cluster: threads" : "cluster: joined";
        Map<String, Object> settings = new LinkedHashMap<>(run.settings());
        StringBuilder strategy = new StringBuilder("strategy: {");
        settings.forEach((key, value) -> strategy.append(strategy.charAt(strategy.length() - 1) == '{' ? "" : ", ")
                .append(key)
                .append(": ")
                .append(value));
        return List.of(
                cluster,
                run.nodes() == 1 ? "strategy: local" : strategy.append("}").toString());
    }
}
