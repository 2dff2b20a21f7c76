package dev.tutti.app.command.parallel;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.TextTable;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.JobArgument;
import dev.tutti.app.command.JobOptions;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.io.AtomicFile;
import dev.tutti.nn.ModelPlan;
import dev.tutti.plan.JobPlan;
import dev.tutti.plan.ScalingSvg;
import dev.tutti.strategy.parallel.Parallel;
import dev.tutti.strategy.parallel.plan.GridPlan;
import dev.tutti.strategy.parallel.plan.MemberShare;
import dev.tutti.strategy.parallel.plan.ScheduleSvg;
import dev.tutti.train.job.Job;
import dev.tutti.train.job.JobFile;
import dev.tutti.train.job.ReadyJob;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows how a strategy would divide a model among members, or predicts runs of a job on many nodes. */
@Command(
        name = "plan",
        sortOptions = false,
        description = "Shows how a job's strategy divides its model among members: which member holds what, bytes per"
                + " member, and what is sent in a step. With --nodes: measures the job's step here and predicts time,"
                + " memory and cost with every strategy on so many nodes. Nothing is trained.")
public final class PlanCommand extends TuttiCommand {
    /** How much longer a pass backward takes than one forward, in pictures. */
    private static final double BACKWARD = 2;

    @Parameters(paramLabel = "JOB", description = "A job file, or mnist.")
    private String name;

    @Mixin
    private JobOptions options;

    @Mixin
    private NodeOptions nodes;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "Draw the schedule of the stages, or with --nodes the speeds, into a file.")
    private Path svg;

    public PlanCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        JobFile file = options.in(placed(JobArgument.find(name)));
        options.requireTrust(file);
        if (nodes.areGiven()) {
            return predict(file);
        }
        Job job = file.job();
        if (!(job.strategy() instanceof Parallel strategy)) {
            throw new UsageException("--strategy " + job.strategy()
                    + ": every member holds the whole model; expected one that divides it, such as '{type: parallel,"
                    + " pipeline: 2}'; or --nodes 1,2,8 to compare all strategies");
        }
        GridPlan plan;
        try (ReadyJob ready = ReadyJob.check(file)) {
            ModelPlan whole = ready.model().plan();
            int set = strategy.grid(1).members();
            int members = Math.max(set, job.cluster().workers().orElse(set));
            int rows = ready.train().batchSize().orElse(1);
            plan = GridPlan.of(strategy, whole, job.config().optimizer(), members, rows);
        }
        show(plan, job.name());
        if (svg != null) {
            AtomicFile.write(svg, picture(plan, job.name()));
            people().println("The schedule is drawn in " + svg + ".");
        }
        answer(answer(plan, job.name()));
        return ExitCode.FINE;
    }

    /** A grid is planned for as many members as it has, however many cores this machine has, unless the options name a place. */
    private JobFile placed(JobFile file) {
        if (!options.namesPlace() && options.strategy().orElse(null) instanceof Parallel grid) {
            int members = grid.grid(1).members();
            return file.set("cluster", "{type: processes, members: " + members + "}", "--strategy " + grid);
        }
        return file;
    }

    private ExitCode predict(JobFile file) {
        try (ReadyJob ready = ReadyJob.check(file)) {
            JobPlan plan = nodes.plan(ready);
            NodePlanReport report = new NodePlanReport(plan);
            report.print(people());
            if (svg != null) {
                AtomicFile.write(svg, ScalingSvg.of(plan));
                people().println("The speeds are drawn in " + svg + ".");
            }
            answer(report.answer());
        }
        return ExitCode.FINE;
    }

    private static String picture(GridPlan plan, String job) {
        return ScheduleSvg.of(
                plan.table(),
                job + ": " + plan.schedule() + ", " + counted(plan.grid().pipeline(), "stage") + ", "
                        + plan.microBatches() + " micro-batches",
                BACKWARD);
    }

    private void show(GridPlan plan, String job) {
        people().printf(
                        Locale.ROOT,
                        "%s: %s, %,d parameters, %s with gradients and optimizer%n",
                        job,
                        plan.grid(),
                        plan.wholeParameters(),
                        bytes(plan.wholeBytes()));
        people().printf(
                        Locale.ROOT,
                        "a batch of %d rows, %d micro-batches, schedule %s, stages idle %.1f%% of the time if all take"
                                + " equally long%n%n",
                        plan.rows(),
                        plan.microBatches(),
                        plan.schedule(),
                        100 * plan.bubble());
        TextTable table = new TextTable(List.of(
                "member",
                "set",
                "stage",
                "slice",
                "parameters",
                "memory",
                "alive",
                "to stages",
                "sums of slices",
                "sums of sets",
                "layers"));
        for (MemberShare share : plan.members()) {
            table.add(List.of(
                    String.valueOf(share.member()),
                    String.valueOf(share.set()),
                    String.valueOf(share.stage()),
                    String.valueOf(share.slice()),
                    String.format(Locale.ROOT, "%,d", share.parameters()),
                    bytes(share.bytes()),
                    String.valueOf(share.activationsAlive()),
                    bytes(share.stageBytes()),
                    bytes(share.summedBytes()),
                    bytes(share.gradientSumBytes()),
                    String.join(" ", share.layers())));
        }
        people().print(table);
        MemberShare first = plan.members().get(0);
        if (!first.slices().isEmpty()) {
            people().println();
            people().println("Slices of member 0:");
            first.slices().forEach(line -> people().println("  " + line));
        }
    }

    private static String bytes(long count) {
        return count < 10_000
                ? count + " B"
                : count < 10_000_000
                        ? String.format(Locale.ROOT, "%,.0f kB", count / 1e3)
                        : String.format(Locale.ROOT, "%,.1f MB", count / 1e6);
    }

    private static Map<String, Object> answer(GridPlan plan, String job) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", job);
        answer.put("grid", plan.grid());
        answer.put("schedule", plan.schedule());
        answer.put("microBatches", plan.microBatches());
        answer.put("rows", plan.rows());
        answer.put("wholeParameters", plan.wholeParameters());
        answer.put("wholeBytes", plan.wholeBytes());
        answer.put("bubble", plan.bubble());
        answer.put("members", plan.members());
        answer.put(
                "stages",
                plan.table().rows().stream()
                        .map(row -> row.stream().map(Object::toString).toList())
                        .toList());
        return answer;
    }
}
