package dev.tutti.app.command.parallel;

import dev.tutti.TuttiException;
import dev.tutti.app.UsageException;
import dev.tutti.plan.FailureRate;
import dev.tutti.plan.JobPlan;
import dev.tutti.plan.JobPlanner;
import dev.tutti.plan.JobProfile;
import dev.tutti.plan.NetworkSpec;
import dev.tutti.plan.NodeCounts;
import dev.tutti.plan.profile.JobProfiler;
import dev.tutti.tensor.Engine;
import dev.tutti.train.job.ReadyJob;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Options about nodes that a job might run on, and the predictions for them. */
final class NodeOptions {
    private static final Pattern BYTES = Pattern.compile("([0-9.]+)\\s*([KMGT]?)i?B?", Pattern.CASE_INSENSITIVE);

    @Option(
            names = "--nodes",
            paramLabel = "COUNTS",
            description = "Predict runs on so many nodes, such as 1,2,8 or 2..1000, with every strategy.")
    private String nodes;

    @Option(
            names = "--network",
            paramLabel = "SPEED/LATENCY",
            defaultValue = "10Gbit/0.1ms",
            description = "The network between nodes; ${DEFAULT-VALUE} unless said.")
    private String network;

    @Option(names = "--memory", paramLabel = "BYTES", description = "What a node has, such as 16GB.")
    private String memory;

    @Option(
            names = "--failures",
            paramLabel = "RATE",
            description =
                    "How often a node fails, such as 1%%/day: adds the time lost and the best checkpoint interval.")
    private String failures;

    @Option(
            names = "--node-workers",
            paramLabel = "N",
            description = "Worker threads of a node; as many as this machine has cores unless said.")
    private Integer workers;

    @Option(
            names = "--scale-batch",
            description = "Every node keeps the job's batch: a step has as many times the rows as there are nodes.")
    private boolean scaleBatch;

    @Option(
            names = "--profile-seconds",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long passes of the model are measured; ${DEFAULT-VALUE} unless said.")
    private double seconds;

    boolean areGiven() {
        return nodes != null;
    }

    /** The numbers of nodes, which must be given. */
    List<Integer> counts() {
        if (nodes == null) {
            throw new UsageException("--nodes: expected numbers of nodes, such as 10000, received nothing");
        }
        return said("--nodes", nodes, () -> NodeCounts.parse(nodes));
    }

    FailureRate failureRate() {
        return failures == null ? FailureRate.NONE : said("--failures", failures, () -> FailureRate.parse(failures));
    }

    /** Profiles the job and predicts. */
    JobPlan plan(ReadyJob job) {
        List<Integer> counts = counts();
        NetworkSpec between = said("--network", network, () -> NetworkSpec.parse(network));
        FailureRate rate = failureRate();
        double bytes = memory == null ? Double.POSITIVE_INFINITY : bytes(memory);
        if (workers != null && workers < 1 || !(seconds > 0)) {
            throw new UsageException("--node-workers and --profile-seconds: expected more than 0, received " + workers
                    + " and " + seconds);
        }
        JobProfile profile = new JobProfiler(job, workers == null ? Engine.cores() : workers, seconds).measure();
        return new JobPlanner(profile, job.model().plan(), job.job().config().optimizer())
                .network(between)
                .memory(bytes)
                .failures(rate)
                .scaleBatch(scaleBatch)
                .plan(counts);
    }

    private static <T> T said(String option, String value, Supplier<T> parse) {
        try {
            return parse.get();
        } catch (TuttiException e) {
            throw new UsageException(option + " " + value + ": " + e.getMessage());
        }
    }

    static double bytes(String text) {
        Matcher matcher = BYTES.matcher(text.strip());
        if (!matcher.matches()) {
            throw new UsageException("--memory " + text + ": expected bytes such as 16GB");
        }
        try {
            return Double.parseDouble(matcher.group(1))
                    * switch (matcher.group(2).toUpperCase(Locale.ROOT)) {
                        case "K" -> 1e3;
                        case "M" -> 1e6;
                        case "G" -> 1e9;
                        case "T" -> 1e12;
                        default -> 1;
                    };
        } catch (NumberFormatException e) {
            throw new UsageException("--memory " + text + ": expected bytes such as 16GB");
        }
    }
}
