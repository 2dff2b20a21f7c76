package dev.tutti.app.command.parallel;

import dev.tutti.app.TextTable;
import dev.tutti.plan.JobPlan;
import dev.tutti.plan.JobProfile;
import dev.tutti.plan.LayerProfile;
import dev.tutti.plan.RowCurve;
import dev.tutti.plan.RunEstimate;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** A plan for nodes, for people and for programs. */
final class NodePlanReport {
    private static final int ROWS_PER_COUNT = 6;

    private final JobPlan plan;

    NodePlanReport(JobPlan plan) {
        this.plan = plan;
    }

    void print(PrintStream out) {
        JobProfile job = plan.profile();
        RowCurve.Point whole = job.compute().points().get(job.compute().points().size() - 1);
        out.printf(
                Locale.ROOT,
                "%s: %,d parameters, batches of %d rows; measured here with %d worker%s: %.2f ms for the passes of %.0f"
                        + " rows, %.2f ms for an update, %.1f us to read a row, %.0f us a message%n%n",
                job.name(),
                job.parameters(),
                job.batch(),
                job.workers(),
                job.workers() == 1 ? "" : "s",
                whole.seconds() * 1e3,
                whole.rows(),
                job.updateSeconds() * 1e3,
                job.feedSecondsPerRow() * 1e6,
                job.wire().secondsPerRound() * 1e6);
        TextTable table = new TextTable(List.of(
                "nodes",
                "strategy",
                "step",
                "samples/s",
                "each node",
                "sent/step",
                "rounds",
                "memory",
                "run",
                "node-hours"));
        for (int nodes : nodeCounts()) {
            plan.on(nodes).stream().limit(ROWS_PER_COUNT).forEach(run -> table.add(row(run)));
        }
        out.print(table);
        out.println();
        plan.recommended()
                .ifPresentOrElse(
                        advice -> {
                            out.println("Recommended: " + advice.why() + ".");
                            advice.run()
                                    .checkpointEverySeconds()
                                    .ifPresent(interval -> out.println(
                                            "A checkpoint every " + duration(interval) + " loses the least time."));
                            advice.run()
                                    .lostSeconds()
                                    .filter(lost -> lost > 0)
                                    .ifPresent(lost ->
                                            out.println("Expected to be lost to failures: " + duration(lost) + "."));
                            out.println("In the job file:");
                            advice.lines().forEach(line -> out.println("  " + line));
                        },
                        () -> out.println("Nothing fits: more memory for each node, or more nodes, is needed."));
    }

    private TreeSet<Integer> nodeCounts() {
        TreeSet<Integer> counts = new TreeSet<>();
        plan.runs().forEach(run -> counts.add(run.nodes()));
        return counts;
    }

    private static List<String> row(RunEstimate run) {
        return List.of(
                String.valueOf(run.nodes()),
                run.strategy() + (run.exact() ? "" : " *") + (run.fits() ? "" : " (does not fit)"),
                String.format(Locale.ROOT, "%.2f ms", run.step() * 1e3),
                String.format(Locale.ROOT, "%,.0f", run.samplesPerSecond()),
                String.format(Locale.ROOT, "%.0f%%", run.efficiency() * 100),
                bytes(run.bytesPerStep() + run.messageBytesPerStep()),
                String.format(Locale.ROOT, "%,.0f", run.roundsPerStep()),
                bytes(run.memoryBytes()),
                run.seconds().map(NodePlanReport::duration).orElse("-"),
                run.nodeHours()
                        .map(hours -> String.format(Locale.ROOT, "%.3g", hours))
                        .orElse("-"));
    }

    private static String bytes(double count) {
        return count < 1e6
                ? String.format(Locale.ROOT, "%,.0f kB", count / 1e3)
                : count < 1e9
                        ? String.format(Locale.ROOT, "%,.1f MB", count / 1e6)
                        : String.format(Locale.ROOT, "%,.2f GB", count / 1e9);
    }

    static String duration(double seconds) {
        return seconds < 120
                ? String.format(Locale.ROOT, "%.1f s", seconds)
                : seconds < 7200
                        ? String.format(Locale.ROOT, "%.1f min", seconds / 60)
                        : String.format(Locale.ROOT, "%.1f h", seconds / 3600);
    }

    Map<String, Object> answer() {
        JobProfile job = plan.profile();
        Map<String, Object> profile = new LinkedHashMap<>();
        profile.put("workers", job.workers());
        profile.put("parameters", job.parameters());
        profile.put("batch", job.batch());
        job.rows().ifPresent(rows -> profile.put("rows", rows));
        profile.put("epochs", job.epochs());
        profile.put("compute", job.compute().points());
        profile.put("updateSeconds", job.updateSeconds());
        profile.put("feedSecondsPerRow", job.feedSecondsPerRow());
        profile.put("layers", job.layers().stream().map(NodePlanReport::layer).toList());
        profile.put("checkpointSeconds", job.checkpointSeconds());
        profile.put("secondsPerMessage", job.wire().secondsPerRound());
        profile.put("messageBytesPerSecond", job.wire().bytesPerSecond());
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("job", job.name());
        answer.put("network", plan.network());
        answer.put("scaledBatch", plan.batchScaled());
        answer.put("profile", profile);
        answer.put("runs", plan.runs().stream().map(NodePlanReport::run).toList());
        plan.recommended().ifPresent(advice -> {
            Map<String, Object> recommended = new LinkedHashMap<>();
            recommended.put("run", run(advice.run()));
            recommended.put("why", advice.why());
            recommended.put("lines", advice.lines());
            answer.put("recommended", recommended);
        });
        return answer;
    }

    private static Map<String, Object> layer(LayerProfile layer) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("name", layer.name());
        answer.put("parameters", layer.parameters());
        answer.put("forward", layer.forward());
        answer.put("backward", layer.backward());
        answer.put("outputBytesPerRow", layer.outputBytes());
        return answer;
    }

    private static Map<String, Object> run(RunEstimate run) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("nodes", run.nodes());
        answer.put("strategy", run.strategy());
        answer.put("settings", run.settings());
        answer.put("members", run.members());
        answer.put("exact", run.exact());
        answer.put("elastic", run.elastic());
        answer.put("stepSeconds", run.step());
        answer.put("computeSeconds", run.computeSeconds());
        answer.put("wireSeconds", run.wireSeconds());
        answer.put("bytesPerStep", run.bytesPerStep());
        answer.put("messageBytesPerStep", run.messageBytesPerStep());
        answer.put("roundsPerStep", run.roundsPerStep());
        answer.put("samplesPerSecond", run.samplesPerSecond());
        answer.put("efficiency", run.efficiency());
        answer.put("memoryBytes", run.memoryBytes());
        answer.put("fits", run.fits());
        run.seconds().ifPresent(seconds -> answer.put("seconds", seconds));
        run.nodeHours().ifPresent(hours -> answer.put("nodeHours", hours));
        run.lostSeconds().ifPresent(lost -> answer.put("lostSeconds", lost));
        run.checkpointEverySeconds().ifPresent(interval -> answer.put("checkpointEverySeconds", interval));
        return answer;
    }
}
