package dev.tutti.bench.plan;

import dev.tutti.TuttiException;
import dev.tutti.bench.network.HostProcesses;
import dev.tutti.bench.network.NetworkStudy;
import dev.tutti.bench.process.ProcessCommand;
import dev.tutti.cluster.ClusterSpec;
import dev.tutti.cluster.rpc.ServerSettings;
import dev.tutti.json.Json;
import dev.tutti.plan.JobPlan;
import dev.tutti.plan.JobPlanner;
import dev.tutti.plan.JobProfile;
import dev.tutti.plan.NetworkSpec;
import dev.tutti.plan.RunEstimate;
import dev.tutti.plan.profile.JobProfiler;
import dev.tutti.tensor.Engine;
import dev.tutti.testkit.LinkShape;
import dev.tutti.testkit.NetworkHosts;
import dev.tutti.train.job.ReadyJob;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Profiles a job, predicts it for hosts and links of several kinds, and runs it there with every strategy. */
public final class PlanStudy {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final double PROFILE_SECONDS = 6;
    private static final int COORDINATOR_PORT = 7070;
    private static final String SERVER = "server";

    private final boolean quick;
    private final String only;
    private final Path project;
    private final PrintStream human;
    private final List<PlanRow> rows = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** @param only links, hosts and strategies whose words contain this */
    public PlanStudy(boolean quick, String only, Path project, PrintStream human) {
        this.quick = quick;
        this.only = only;
        this.project = project;
        this.human = human;
    }

    private List<NetworkSpec> links() {
        List<String> all = quick
                ? List.of("1Gbit/1ms", "100Mbit/1ms")
                : List.of(
                        "10Gbit/0.1ms",
                        "1Gbit/0.1ms",
                        "1Gbit/1ms",
                        "1Gbit/20ms",
                        "100Mbit/0.1ms",
                        "100Mbit/1ms",
                        "100Mbit/20ms");
        return all.stream().map(NetworkSpec::parse).toList();
    }

    private List<Integer> hostCounts() {
        return quick ? List.of(2) : List.of(2, 4);
    }

    private int batches() {
        return quick ? 16 : 32;
    }

    public List<PlanRow> rows() {
        return rows;
    }

    public List<String> failures() {
        return failures;
    }

    public void run() {
        NetworkStudy.requireHosts();
        try (ReadyJob job = ReadyJob.check(PlannedJob.file(batches()))) {
            human.println("Profiling the job on one core ...");
            JobProfile profile = new JobProfiler(job, 1, PROFILE_SECONDS).measure();
            JobPlanner planner = new JobPlanner(
                    profile, job.model().plan(), job.job().config().optimizer());
            RunEstimate alone = planner.plan(List.of(1)).on(1).get(0);
            compare("-", 1, List.of(alone));
            for (NetworkSpec link : links()) {
                for (int hosts : hostCounts()) {
                    JobProfile shared = profile.slower(Math.max(1, (double) hosts / Engine.cores()));
                    JobPlan plan = new JobPlanner(
                                    shared,
                                    job.model().plan(),
                                    job.job().config().optimizer())
                            .network(link)
                            .plan(List.of(hosts));
                    compare(link.toString(), hosts, oneOfEachKind(plan.on(hosts)));
                }
            }
        }
    }

    /** All strategies, of the grids the fastest one alone. */
    private static List<RunEstimate> oneOfEachKind(List<RunEstimate> runs) {
        Map<String, RunEstimate> kinds = new LinkedHashMap<>();
        runs.stream()
                .sorted(Comparator.comparingDouble(RunEstimate::step))
                .forEach(run -> kinds.putIfAbsent(
                        "parallel".equals(run.settings().get("type")) ? "grid" : run.strategy(), run));
        return List.copyOf(kinds.values());
    }

    private void compare(String link, int hosts, List<RunEstimate> runs) {
        RunEstimate fastest =
                runs.stream().min(Comparator.comparingDouble(RunEstimate::step)).orElseThrow();
        for (RunEstimate run : runs) {
            String what = link + ", " + hosts + " hosts, " + run.strategy();
            if (!what.toLowerCase(Locale.ROOT).contains(only.toLowerCase(Locale.ROOT))) {
                continue;
            }
            try {
                double measured = measure(link, hosts, run);
                PlanRow row = new PlanRow(
                        link, hosts, run.strategy(), run.settings(), run.step(), measured, run.equals(fastest));
                rows.add(row);
                human.printf(
                        Locale.ROOT,
                        "%-60s predicted %7.1f ms, measured %7.1f ms, %3.0f%% off%n",
                        what,
                        1000 * run.step(),
                        1000 * measured,
                        100 * row.error());
            } catch (TuttiException e) {
                failures.add(what + ": " + e.getMessage());
                human.println(what + ": failed: " + e.getMessage());
            }
        }
    }

    private double measure(String link, int hosts, RunEstimate run) {
        try (NetworkHosts network = NetworkHosts.withDelays(hosts)) {
            if (hosts > 1) {
                NetworkSpec spec = NetworkSpec.parse(link);
                double megabits = spec.bytesPerSecond() * 8 / 1e6;
                // More than this machine can carry is as much as it can.
                LinkShape shape =
                        LinkShape.megabits(megabits >= 10_000 ? 0 : megabits).delay(1000 * spec.latencySeconds());
                for (int host = 0; host < hosts; host++) {
                    network.shape(host, shape);
                }
            }
            try (HostProcesses processes = new HostProcesses(network, project)) {
                int servers = Optional.ofNullable(run.settings().get("servers"))
                        .map(count -> ((Number) count).intValue())
                        .orElse(0);
                String token = ServerSettings.newToken();
                for (int host = 0; host < hosts; host++) {
                    start(processes, network, host, hosts - servers, servers, token, run);
                }
                return Double.parseDouble(processes.awaitResult(LIMIT));
            }
        }
    }

    private void start(
            HostProcesses processes,
            NetworkHosts network,
            int host,
            int workers,
            int servers,
            String token,
            RunEstimate run) {
        ProcessCommand command = ProcessCommand.java(
                PlanMember.class,
                String.valueOf(batches()),
                Json.write(run.settings()).replace("\n", " "));
        Map<String, String> environment = new LinkedHashMap<>();
        if (workers + servers > 1) {
            boolean serves = host >= workers;
            Map<String, List<String>> cluster = new LinkedHashMap<>();
            for (int i = 0; i < workers + servers; i++) {
                cluster.computeIfAbsent(i < workers ? ClusterSpec.WORKER : SERVER, role -> new ArrayList<>())
                        .add(network.address(i) + (i == 0 ? ":" + COORDINATOR_PORT : ""));
            }
            ClusterSpec.Task task =
                    new ClusterSpec.Task(serves ? SERVER : ClusterSpec.WORKER, serves ? host - workers : host);
            Map<String, Object> spec = new LinkedHashMap<>();
            spec.put("cluster", cluster);
            spec.put("task", task);
            spec.put("token", token);
            spec.put("plain", true);
            environment.put(ClusterSpec.VARIABLE, Json.write(spec).replace("\n", " "));
        }
        processes.start(host, command, environment, PlanMember.RESULT);
    }

    /** The picture of all rows. */
    public String picture() {
        return PlanPicture.of(rows);
    }
}
