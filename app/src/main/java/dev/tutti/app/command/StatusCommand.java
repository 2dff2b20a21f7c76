package dev.tutti.app.command;

import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.TextTable;
import dev.tutti.cluster.coordinator.Overview;
import dev.tutti.cluster.rpc.CoordinatorClient;
import dev.tutti.comm.Holding;
import dev.tutti.comm.Report;
import dev.tutti.train.run.RunObserver;
import dev.tutti.train.run.RunStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows how a job under way is doing. */
@Command(
        name = "status",
        sortOptions = false,
        description = "Shows how a run is doing; of a job in several JVMs its members, how far they are, what was set.",
        footer = {"", "Example: ./tutti status runs/digits"})
public final class StatusCommand extends TuttiCommand {
    @Mixin
    private RunningJob job;

    public StatusCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        Optional<RunStatus> recorded = RunObserver.of(job.folder()).status();
        if (recorded.isPresent() && !job.hasCoordinator()) {
            show(recorded.get());
            answer(recorded.get());
            return ExitCode.FINE;
        }
        try (CoordinatorClient coordinator = job.open()) {
            Overview overview = coordinator.overview();
            show(overview);
            show(coordinator.holdings(""));
            answer(overview);
            return ExitCode.FINE;
        }
    }

    private void show(RunStatus status) {
        people().printf(
                        Locale.ROOT,
                        "%s: %s, epoch %d of %d, step %,d, loss %.4f, as of %s%n",
                        job.folder(),
                        status.state().name().toLowerCase(Locale.ROOT),
                        status.epoch(),
                        status.epochs(),
                        status.step(),
                        status.loss(),
                        status.updated());
        status.message().ifPresent(people()::println);
    }

    private void show(Overview overview) {
        people().println(job.folder() + ": generation " + overview.generation() + rows(overview.rows()));
        TextTable table = new TextTable(List.of("member", "state", "rank", "epoch", "step", "loss", "pace", ""));
        overview.members().stream()
                .sorted(Comparator.comparing(line -> line.gone() != null))
                .forEach(line -> table.add(cells(line)));
        people().print(table);
        if (!overview.settings().values().isEmpty()) {
            people().println("Set: " + new TreeMap<>(overview.settings().values()));
        }
        overview.complaints().forEach(complaint -> people().println("It does not add up: " + complaint));
    }

    /** Who holds what: shards of parameter servers, for instance. */
    private void show(List<Holding> holdings) {
        if (holdings.isEmpty()) {
            return;
        }
        TextTable table = new TextTable(List.of("held", "by", "copies", "term"));
        for (Holding holding : holdings) {
            List<String> holders = holding.holders();
            table.add(List.of(
                    holding.thing(),
                    holders.isEmpty() ? "none: lost" : holders.get(0),
                    holders.size() < 2 ? "-" : String.join(", ", holders.subList(1, holders.size())),
                    String.valueOf(holding.term())));
        }
        people().print(table);
    }

    private static String rows(Map<Integer, Long> rows) {
        return rows.keySet().stream()
                .max(Comparator.naturalOrder())
                .map(epoch -> String.format(Locale.ROOT, ", %,d rows used of epoch %d", rows.get(epoch), epoch + 1))
                .orElse("");
    }

    private static List<String> cells(Overview.Line line) {
        Report report = line.report();
        return List.of(
                line.id(),
                line.state().name().toLowerCase(Locale.ROOT),
                line.rank() < 0 ? "-" : String.valueOf(line.rank()),
                report == null ? "-" : String.valueOf(report.epoch() + 1),
                report == null ? "-" : String.valueOf(report.step()),
                report == null ? "-" : String.format(Locale.ROOT, "%.4f", report.loss()),
                line.pace() > 0 ? String.format(Locale.ROOT, "%.1f ms", 1e3 * line.pace()) : "-",
                remark(line));
    }

    private static String remark(Overview.Line line) {
        if (line.gone() != null) {
            return line.gone();
        }
        if (line.waiting()) {
            return "waits for the others";
        }
        return line.slower() > 1.5 ? String.format(Locale.ROOT, "%.1f times as slow as the others", line.slower()) : "";
    }
}
