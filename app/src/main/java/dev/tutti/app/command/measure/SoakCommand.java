package dev.tutti.app.command.measure;

import dev.tutti.TuttiException;
import dev.tutti.app.Console;
import dev.tutti.app.ExitCode;
import dev.tutti.app.UsageException;
import dev.tutti.app.command.TuttiCommand;
import dev.tutti.bench.BenchOptions;
import dev.tutti.io.AtomicFile;
import dev.tutti.testkit.NetworkHosts;
import dev.tutti.testkit.serving.ServingSoak;
import dev.tutti.testkit.serving.SoakReport;
import dev.tutti.testkit.soak.FaultPage;
import dev.tutti.testkit.soak.Soak;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Trains again and again while members are killed, stopped and slowed down by chance. */
@Command(
        name = "soak",
        sortOptions = false,
        description = "Trains on several JVMs under faults drawn by chance, and says whether all came out well.",
        footer = {
            "",
            "Results of 50 runs and more go to bench/results/soak.md or sweep.md. A seed repeats a run: --seed N"
                    + " --runs 1."
        })
public final class SoakCommand extends TuttiCommand {
    private static final int WORTH_KEEPING = 50;
    private static final int SERVING_MINUTES = 30;
    private static final int HOST_RUNS_WORTH_KEEPING = 10;
    private static final int MOST_HOSTS = 64;
    private static final int WORTH_KEEPING_MINUTES = 5;

    @Option(names = "--runs", paramLabel = "COUNT", description = "How many; 50 by default.")
    private Integer runs;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "Of the first run; another one each time by default.")
    private Long seed;

    @Option(
            names = "--minutes",
            paramLabel = "COUNT",
            description = "Begin no run after so many minutes; 600, with --serving 30.")
    private Integer minutes;

    @Option(
            names = "--sweep",
            description = {
                "Instead stop or kill one member at one point of its work after the other;",
                "--seed and --runs choose the first point, from 0, and how many."
            })
    private boolean sweep;

    @Option(
            names = "--at-once",
            paramLabel = "COUNT",
            defaultValue = "1",
            description = "Of a sweep: how many runs at the same time; most of each is waiting.")
    private int atOnce;

    @Option(
            names = "--hosts",
            paramLabel = "COUNT",
            description = {
                "Instead one member on each of so many hosts, as network namespaces, over TLS; the network between",
                "them breaks as well. Needs root and the command ip; results of 10 runs and more are kept."
            })
    private Integer hosts;

    @Option(names = "--serving", description = "Instead serve under load with hot swaps and faults, for --minutes.")
    private boolean serving;

    @Option(
            names = "--rate",
            paramLabel = "REQUESTS",
            defaultValue = "0",
            description = "Of --serving: requests in a second at most; without it clients do not pause.")
    private int rate;

    public SoakCommand(Console console) {
        super(console);
    }

    @Override
    protected ExitCode run() {
        if (hosts != null && (sweep || serving)) {
            throw new UsageException("--hosts: expected by itself, received " + (sweep ? "--sweep" : "--serving"));
        }
        if (serving) {
            return serve();
        }
        if (hosts != null) {
            return soakHosts();
        }
        long first = seed != null ? seed : sweep ? 0 : System.currentTimeMillis() / 1000;
        int most = runs != null ? runs : sweep ? Integer.MAX_VALUE : WORTH_KEEPING;
        Soak soak = new Soak(people()::println);
        List<Soak.Line> lines = sweep
                ? soak.sweep((int) first, most, Math.max(1, atOnce))
                : soak.run(most, first, Duration.ofMinutes(minutes == null ? 600 : minutes));
        Map<Soak.Ending, Integer> counts = Soak.counts(lines);
        people().println(counts);
        answer(Map.of("seed", first, "runs", lines.size(), "endings", counts));
        if (lines.size() >= WORTH_KEEPING) {
            String which = " --runs " + lines.size() + " --seed " + first;
            keep(
                    lines,
                    "./tutti soak" + (sweep ? " --sweep" + (atOnce > 1 ? " --at-once " + atOnce : "") : "") + which);
        }
        boolean well = counts.get(Soak.Ending.HUNG) + counts.get(Soak.Ending.WRONG) == 0;
        return well ? ExitCode.FINE : ExitCode.FAULT;
    }

    private ExitCode soakHosts() {
        if (hosts < 2 || hosts > MOST_HOSTS) {
            throw new UsageException("--hosts: expected from 2 to " + MOST_HOSTS + ", received " + hosts);
        }
        NetworkHosts.unavailable().ifPresent(why -> {
            throw new TuttiException("there cannot be hosts here: " + why);
        });
        long first = seed != null ? seed : System.currentTimeMillis() / 1000;
        int most = runs != null ? runs : HOST_RUNS_WORTH_KEEPING;
        List<Soak.Line> lines = new Soak(people()::println)
                .runOnHosts(hosts, most, first, Duration.ofMinutes(minutes == null ? 600 : minutes));
        Map<Soak.Ending, Integer> counts = Soak.counts(lines);
        people().println(counts);
        answer(Map.of("seed", first, "hosts", hosts, "runs", lines.size(), "endings", counts));
        if (lines.size() >= HOST_RUNS_WORTH_KEEPING) {
            write(
                    FaultPage.HOSTS,
                    "soak-hosts.md",
                    lines,
                    "./tutti soak --hosts " + hosts + " --runs " + lines.size() + " --seed " + first);
        }
        boolean well = counts.get(Soak.Ending.HUNG) + counts.get(Soak.Ending.WRONG) == 0;
        return well ? ExitCode.FINE : ExitCode.FAULT;
    }

    private ExitCode serve() {
        if (rate < 0) {
            throw new UsageException("--rate: expected 1 request in a second or more, received " + rate);
        }
        int length = minutes == null ? SERVING_MINUTES : minutes;
        long start = seed != null ? seed : System.currentTimeMillis() / 1000;
        Path folder;
        try {
            folder = Files.createTempDirectory("tutti-serving-soak");
        } catch (IOException e) {
            throw new TuttiException("there is no place for temporary files: " + e.getMessage(), e);
        }
        SoakReport report = new ServingSoak(folder, start, rate, people()::println).run(Duration.ofMinutes(length));
        String paced = rate == 0 ? "" : " --rate " + rate;
        String page = report.page("./tutti soak --serving --minutes " + length + " --seed " + start + paced);
        people().print(page);
        answer(report);
        if (length >= WORTH_KEEPING_MINUTES) {
            Path file = BenchOptions.here(false).project().resolve("bench/results/serving-soak.md");
            AtomicFile.write(file, page);
            people().println("Written to " + file);
        }
        return report.isSound() ? ExitCode.FINE : ExitCode.FAULT;
    }

    private void keep(List<Soak.Line> lines, String command) {
        write(sweep ? FaultPage.SWEEP : FaultPage.SOAK, sweep ? "sweep.md" : "soak.md", lines, command);
    }

    private void write(FaultPage page, String name, List<Soak.Line> lines, String command) {
        Path file = BenchOptions.here(false).project().resolve("bench/results/" + name);
        byte[] text = page.of(lines, command).getBytes(StandardCharsets.UTF_8);
        AtomicFile.write(file, out -> out.write(text));
        people().println("Written to " + file);
    }
}
