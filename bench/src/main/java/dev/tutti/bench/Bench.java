package dev.tutti.bench;

import dev.tutti.DidYouMean;
import dev.tutti.TuttiException;
import dev.tutti.bench.harness.Benchmark;
import dev.tutti.bench.harness.Machine;
import dev.tutti.bench.harness.Plan;
import dev.tutti.bench.harness.Race;
import dev.tutti.bench.harness.Referee;
import dev.tutti.bench.harness.ResultRow;
import dev.tutti.bench.harness.Results;
import dev.tutti.bench.harness.ResultsFolder;
import dev.tutti.bench.harness.Versions;
import dev.tutti.bench.network.NetworkStudy;
import dev.tutti.bench.network.NetworkTable;
import dev.tutti.bench.plan.PlanStudy;
import dev.tutti.bench.plan.PlanTable;
import dev.tutti.bench.process.BenchProcesses;
import dev.tutti.bench.process.PeerEnvironment;
import dev.tutti.bench.strategies.StrategyRow;
import dev.tutti.bench.strategies.StrategyStudy;
import dev.tutti.bench.strategies.StrategyTable;
import dev.tutti.io.AtomicFile;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The door to all benchmarks: what there is, and run one by its name. */
public final class Bench {
    private static final Map<String, Function<PythonPeers, Benchmark>> BENCHMARKS = new TreeMap<>(Map.ofEntries(
            Map.entry("allreduce", AllReduceBenchmark::with),
            Map.entry("data", DataBenchmark::with),
            Map.entry("engine", EngineBenchmark::with),
            Map.entry("federated", FederatedBenchmark::with),
            Map.entry("mnist", MnistBenchmark::with),
            Map.entry("parallel", ParallelBenchmark::with),
            Map.entry("precision", PrecisionBenchmark::with),
            Map.entry("ps", PsBenchmark::with),
            Map.entry("serve", ServeBenchmark::with),
            Map.entry("spark", SparkBenchmark::with),
            Map.entry("transfer", TransferBenchmark::with)));
    private static final String NETWORK = "network";
    private static final String PLAN = "plan";
    private static final String STRATEGIES = "strategies";
    private static final List<String> PACKAGES = List.of(
            "torch",
            "torchvision",
            "tensorflow-cpu",
            "tensorflow",
            "keras",
            "numpy",
            "pandas",
            "pyarrow",
            "flwr",
            "litserve",
            "mlserver",
            "ray",
            "pyspark");

    private Bench() {}

    /** The names of the benchmarks, in order. */
    public static List<String> names() {
        List<String> names = new ArrayList<>(BENCHMARKS.keySet());
        names.addAll(List.of(NETWORK, PLAN, STRATEGIES));
        names.sort(null);
        return List.copyOf(names);
    }

    /**
     * Runs a benchmark, tells people how it goes, writes the results into {@code bench/results} and returns them.
     *
     * <p>A contender that fails does not end the benchmark: see {@link BenchmarkReport#failures}.
     *
     * @throws TuttiException when there is no such benchmark or the peers' environment cannot be made
     */
    public static BenchmarkReport run(String name, BenchOptions options, PrintStream human) {
        if (name.equals(STRATEGIES)) {
            return strategies(options, human);
        }
        if (name.equals(NETWORK)) {
            return network(options, human);
        }
        if (name.equals(PLAN)) {
            return plan(options, human);
        }
        Function<PythonPeers, Benchmark> definition = BENCHMARKS.get(name);
        if (definition == null) {
            throw new TuttiException("There is no benchmark '" + name + "'" + DidYouMean.hint(name, names()));
        }
        Results results = race(name, definition, options, human);
        return new BenchmarkReport(
                results, results.failures().stream().map(ResultRow::failure).toList());
    }

    private static Results race(
            String name, Function<PythonPeers, Benchmark> definition, BenchOptions options, PrintStream human) {
        Path environment = PeerEnvironment.usualFolder(System.getenv());
        Benchmark benchmark = definition.apply(new PythonPeers(PeerEnvironment.python(environment)));
        List<Race> races = races(benchmark, options.only());
        Plan plan = options.quick() ? Plan.quick() : Plan.full();
        String began = now();
        try (BenchProcesses children = new BenchProcesses(options.project())) {
            List<Path> requirements = benchmark.peers().stream()
                    .map(peer -> options.project().resolve("bench/peers/requirements-" + peer + ".txt"))
                    .toList();
            new PeerEnvironment(environment, "python3", children, human).install(requirements);
            List<ResultRow> rows = run(races, new Referee(children, plan), human);
            Map<String, String> versions = Versions.ours();
            versions.putAll(PeerEnvironment.versions(environment, PACKAGES));
            Results results = new Results(
                    name,
                    benchmark.description(),
                    command(name, options),
                    began,
                    options.quick(),
                    plan.repetitions(),
                    Machine.here(),
                    versions,
                    rows);
            if (options.only().isEmpty()) {
                written(folder(options).write(results), human);
                benchmark.afterwards().run(options.project());
            }
            return results;
        }
    }

    /** A study of our own strategies, which needs no peers. */
    private static BenchmarkReport strategies(BenchOptions options, PrintStream human) {
        StrategyStudy study = new StrategyStudy(options.quick(), options.only());
        String began = now();
        try (BenchProcesses children = new BenchProcesses(options.project())) {
            List<StrategyRow> rows = study.run(new Referee(children, Plan.full()), human);
            StrategyTable table = new StrategyTable(
                    study.description(),
                    command(STRATEGIES, options),
                    began,
                    options.quick(),
                    study.repetitions(),
                    Machine.here(),
                    Versions.ours(),
                    rows);
            if (options.only().isEmpty()) {
                written(folder(options).write(STRATEGIES, table, table.page()), human);
            }
            return new BenchmarkReport(table, table.failures());
        }
    }

    /** Sums between hosts of a network of their own. */
    private static BenchmarkReport network(BenchOptions options, PrintStream human) {
        NetworkStudy.requireHosts();
        Path environment = PeerEnvironment.usualFolder(System.getenv());
        String began = now();
        try (BenchProcesses children = new BenchProcesses(options.project())) {
            new PeerEnvironment(environment, "python3", children, human)
                    .install(List.of(options.project().resolve("bench/peers/requirements-torch.txt")));
        }
        NetworkStudy study = new NetworkStudy(
                options.quick(),
                options.only(),
                options.project(),
                PeerEnvironment.python(environment).toString(),
                human);
        study.run();
        Map<String, String> versions = Versions.ours();
        versions.putAll(PeerEnvironment.versions(environment, List.of("torch")));
        NetworkTable table = new NetworkTable(
                command(NETWORK, options),
                began,
                options.quick(),
                Machine.here(),
                versions,
                study.rows(),
                study.failures());
        if (options.only().isEmpty()) {
            written(folder(options).write(NETWORK, table, table.page()), human);
        }
        return new BenchmarkReport(table, table.failures());
    }

    /** Predictions beside measured runs, on hosts of a network of their own. */
    private static BenchmarkReport plan(BenchOptions options, PrintStream human) {
        String began = now();
        PlanStudy study = new PlanStudy(options.quick(), options.only(), options.project(), human);
        study.run();
        PlanTable table = new PlanTable(
                command(PLAN, options),
                began,
                options.quick(),
                Machine.here(),
                Versions.ours(),
                study.rows(),
                study.failures());
        if (options.only().isEmpty()) {
            AtomicFile.write(options.project().resolve("bench/results/plan.svg"), study.picture());
            written(folder(options).write(PLAN, table, table.page("plan.svg")), human);
        }
        return new BenchmarkReport(table, table.failures());
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String command(String name, BenchOptions options) {
        return "./tutti bench " + name + (options.quick() ? " --quick" : "");
    }

    private static ResultsFolder folder(BenchOptions options) {
        return new ResultsFolder(options.project().resolve("bench/results"));
    }

    private static void written(Path page, PrintStream human) {
        human.println("Written: " + page + ", and the same as JSON beside it");
    }

    private static List<Race> races(Benchmark benchmark, String only) {
        List<Race> races = benchmark.races().stream()
                .filter(race -> race.title().toLowerCase(Locale.ROOT).contains(only.toLowerCase(Locale.ROOT)))
                .toList();
        if (races.isEmpty()) {
            List<String> titles = benchmark.races().stream().map(Race::title).toList();
            throw new TuttiException("No race of the benchmark '" + benchmark.name() + "' contains '" + only
                    + "' in its name: expected a part of one of " + String.join("; ", titles));
        }
        return races;
    }

    private static List<ResultRow> run(List<Race> races, Referee referee, PrintStream human) {
        List<ResultRow> rows = new ArrayList<>();
        for (int i = 0; i < races.size(); i++) {
            human.printf(
                    Locale.ROOT,
                    "[%d/%d] %s%n",
                    i + 1,
                    races.size(),
                    races.get(i).title());
            for (ResultRow row : referee.run(races.get(i))) {
                human.println("        " + row.sentence());
                rows.add(row);
            }
        }
        return rows;
    }
}
