package dev.tutti.app.command.parallel;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.JobArgument;
import dev.tutti.app.command.JobOptions;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.plan.JobPlan;
import dev.tutti.plan.RunEstimate;
import dev.tutti.plan.simulation.ClusterSimulation;
import dev.tutti.plan.simulation.ClusterSimulationResult;
import dev.tutti.plan.simulation.SimulationSettings;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Simulates the members of a job and their coordinator in virtual time. */
@Command(
        name = "simulate",
        sortOptions = false,
        description =
                "Simulates a job on many nodes that fail and are replaced, in virtual time, over the coordinator's own"
                        + " code: groups, pauses, steps that count, messages, time and memory of the coordinator.")
public final class SimulateNodesCommand extends TuttiCommand {
    private static final int MOST_NODES = 100_000;

    @Parameters(paramLabel = "JOB", description = "A job file, or mnist.")
    private String name;

    @Mixin
    private JobOptions options;

    @Mixin
    private NodeOptions nodes;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Virtual minutes; ${DEFAULT-VALUE} unless said. Members train on when the job's steps are done.")
    private double minutes;

    @Option(
            names = "--way",
            paramLabel = "WORD",
            description = "The strategy whose name begins so, such as averaging; the fastest unless said.")
    private String way;

    @Option(
            names = "--rejoin",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "After so many seconds another node takes a lost one's place; ${DEFAULT-VALUE} unless said.")
    private double rejoin;

    @Option(
            names = "--stragglers",
            paramLabel = "SHARE",
            defaultValue = "0.01",
            description = "The share of nodes that take twice as long; ${DEFAULT-VALUE} unless said.")
    private double stragglers;

    public SimulateNodesCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (!(minutes > 0) || !(rejoin >= 0)) {
            throw new UsageException(
                    "--minutes and --rejoin: expected more than 0, received " + minutes + " and " + rejoin);
        }
        JobFile file = options.in(JobArgument.find(name));
        options.requireTrust(file);
        List<Integer> counts = nodes.counts();
        if (counts.stream().anyMatch(count -> count > MOST_NODES)) {
            throw new UsageException("--nodes: expected at most " + MOST_NODES + " to simulate, received " + counts);
        }
        JobPlan plan;
        try (ReadyJob ready = ReadyJob.check(file)) {
            plan = nodes.plan(ready);
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", plan.profile().name());
        List<Map<String, Object>> runs =
                counts.stream().map(count -> simulate(plan, count)).toList();
        answer.put("simulations", runs);
        answer(answer);
        return ExitCode.FINE;
    }

    private Map<String, Object> simulate(JobPlan plan, int count) {
        RunEstimate run = plan.on(count).stream()
                .filter(each -> way == null || each.strategy().startsWith(way))
                .findFirst()
                .orElseThrow(() -> new UsageException("--way " + way + ": expected the beginning of one of "
                        + plan.on(count).stream().map(RunEstimate::strategy).toList()));
        boolean inLockstep = run.exact() || run.strategy().startsWith("averaging");
        ClusterSimulationResult result = new ClusterSimulation(new SimulationSettings(
                        count,
                        nodes.failureRate(),
                        rejoin,
                        stragglers,
                        2,
                        run.step(),
                        inLockstep,
                        plan.profile().steps().orElse(Long.MAX_VALUE),
                        minutes * 60,
                        plan.network(),
                        1))
                .run();
        show(run, result);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("strategy", run.strategy());
        answer.put("predictedStepSeconds", run.step());
        answer.put("result", result);
        return answer;
    }

    private void show(RunEstimate run, ClusterSimulationResult result) {
        people().printf(
                        Locale.ROOT,
                        "%,d nodes, %s, %.1f virtual minutes (%.1f s here):%n",
                        result.nodes(),
                        run.strategy(),
                        result.seconds() / 60,
                        result.wallSeconds());
        people().printf(
                        Locale.ROOT,
                        "  %,d members joined, %,d were lost; %,d groups, the first after %.1f s, pauses %.2f s on average,"
                                + " %.2f s at most%n",
                        result.joined(),
                        result.lost(),
                        result.generations(),
                        result.firstGroupSeconds(),
                        result.meanPauseSeconds(),
                        result.longestPauseSeconds());
        people().printf(
                        Locale.ROOT,
                        "  %,d steps, %,d repeated, %.0f%% of the time; the job's steps were %s%n",
                        result.steps(),
                        result.repeatedSteps(),
                        100 * result.busyShare(),
                        result.finishedAtSeconds() < 0
                                ? "not done"
                                : String.format(Locale.ROOT, "done after %.1f s", result.finishedAtSeconds()));
        people().printf(
                        Locale.ROOT,
                        "  coordinator: %.3f cores, %.1f MB, %.1f MB sent, messages %s%n",
                        result.coordinatorCores(),
                        result.coordinatorBytes() / 1e6,
                        result.bytesOut() / 1e6,
                        result.messages());
    }
}
