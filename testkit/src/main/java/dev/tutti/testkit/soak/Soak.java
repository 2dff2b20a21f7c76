package dev.tutti.testkit.soak;

import dev.tutti.testkit.MemberResult;
import dev.tutti.testkit.NetworkHosts;
import dev.tutti.testkit.ProcessCluster;
import dev.tutti.testkit.Scenario;
import dev.tutti.testkit.TrainingScenario;
import dev.tutti.testkit.fault.Breakdown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Many trainings with faults drawn by chance, on real JVMs: each has to come to the undisturbed run's result, none may hang. */
public final class Soak {
    /** JVMs of a loaded machine start slowly; nothing that is waited for here takes longer. */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    static final double TOLERANCE = 1e-4;

    private final Consumer<String> out;
    private final List<Line> lines = new ArrayList<>();

    /** How a run can end. */
    public enum Ending {
        /** Every member that was not killed came to the result of the undisturbed run. */
        SOUND,
        /** A member failed, and said who is missing. */
        FAILED_BY_NAME,
        /** A result is not that of the undisturbed run, or a failure has no injected cause. */
        WRONG,
        /** A member neither went on nor failed. */
        HUNG
    }

    /** How a run ended, and what there is to say about it. */
    private record Verdict(Ending ending, String remark) {}

    /**
     * One run.
     *
     * @param number its seed, or that of the point
     * @param members how many of which kind
     * @param story what happened
     */
    public record Line(long number, String members, String story, Ending ending, double seconds, String remark) {
        private Line(long number, String members, String story, Verdict verdict) {
            this(number, members, story, verdict.ending, 0, verdict.remark);
        }

        private Line took(double time) {
            return new Line(number, members, story, ending, time, remark);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "%-14s %5.1f s  %d, %s: %s%s", ending, seconds, number, members, story, remark);
        }
    }

    /** @param out is told of every run */
    public Soak(Consumer<String> out) {
        this.out = out;
    }

    /**
     * Makes runs.
     *
     * @param runs how many
     * @param seed of the first; those of the others follow
     * @param limit none is begun after that
     */
    public List<Line> run(int runs, long seed, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int i = 0; i < runs && System.nanoTime() < deadline; i++) {
            Line line = run(SoakRun.draw(seed + i));
            lines.add(line);
            out.accept(line.toString());
        }
        return List.copyOf(lines);
    }

    /**
     * Makes runs with a member on each of several hosts, over TLS and a network that breaks as well.
     *
     * @param hosts how many, at least 2
     * @param runs how many
     * @param seed of the first; those of the others follow
     * @param limit none is begun after that
     */
    public List<Line> runOnHosts(int hosts, int runs, long seed, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int i = 0; i < runs && System.nanoTime() < deadline; i++) {
            Line line = runOnHosts(hosts, seed + i);
            lines.add(line);
            out.accept(line.toString());
        }
        return List.copyOf(lines);
    }

    private static Line runOnHosts(int count, long seed) {
        Path folder = temporary();
        long began = System.nanoTime();
        try (NetworkHosts hosts = NetworkHosts.withDelays(count)) {
            HostSoakRun run = new HostSoakRun(seed, hosts, count);
            Scenario stage = run.stage();
            try (ProcessCluster cluster =
                    ProcessCluster.byHand(stage.scenario(), run.cluster(folder), stage.schedule())) {
                Verdict verdict = judge(stage, cluster.await(LIMIT), List.of());
                return new Line(run.seed(), count + " hosts", run.schedule().toString(), verdict)
                        .took((System.nanoTime() - began) / 1e9);
            }
        } finally {
            delete(folder);
        }
    }

    /**
     * Stops or kills a member at one point of its work after the other.
     *
     * @param first the number of the first point, from 0
     * @param most how many points
     * @param atOnce how many runs are made at the same time: most of a run is waiting
     */
    public List<Line> sweep(int first, int most, int atOnce) {
        List<Sweep.Run> runs = Sweep.runs();
        int end = (int) Math.min(runs.size(), (long) first + most);
        ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        try {
            List<CompletableFuture<Line>> results = new ArrayList<>();
            for (Sweep.Run run : runs.subList(Math.min(first, end), end)) {
                results.add(CompletableFuture.supplyAsync(() -> run(run), threads));
            }
            for (CompletableFuture<Line> result : results) {
                Line line = result.join();
                lines.add(line);
                out.accept(line.toString());
            }
            return List.copyOf(lines);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Line run(SoakRun season) {
        String members = season.members()
                + (season.byHand() ? " by hand" : " driven")
                + (season.servers() > 0 ? " and " + season.servers() + " servers" : "");
        return play(folder -> season.stage(), (stage, cluster) -> {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            Verdict verdict = judge(stage, outcome, List.of());
            return new Line(season.seed(), members, season.schedule().toString(), verdict);
        });
    }

    /** Also for the tests: one point. */
    static Line run(Sweep.Run run) {
        return play(run::stage, (stage, cluster) -> {
            ProcessCluster.Outcome outcome = cluster.await(LIMIT);
            Verdict verdict = run.driven() && !run.strikesServer()
                    ? judgeChildren(run.breakdown(), cluster, outcome)
                    : judge(stage, outcome, List.of(run.breakdown().member()));
            return new Line(run.number(), run.driven() ? "driven" : "by hand", run.toString(), verdict);
        });
    }

    private interface Making {
        Scenario in(Path folder);
    }

    private interface Judging {
        Line of(Scenario stage, ProcessCluster cluster);
    }

    private static Line play(Making making, Judging judging) {
        Path folder = temporary();
        Scenario stage = making.in(folder);
        long began = System.nanoTime();
        try (ProcessCluster cluster = stage.start(folder)) {
            Line line = judging.of(stage, cluster);
            return line.took((System.nanoTime() - began) / 1e9);
        } finally {
            delete(folder);
        }
    }

    /** @param culprits the members of which one has to be named by a member that failed; empty: any */
    private static Verdict judge(Scenario stage, ProcessCluster.Outcome outcome, List<String> culprits) {
        if (!outcome.hung().isEmpty()) {
            return new Verdict(Ending.HUNG, remark(outcome.hung(), outcome));
        }
        MemberResult expected = stage.scenario().undisturbed();
        List<String> complaints = new ArrayList<>();
        culprits.stream()
                .filter(member ->
                        outcome.results().containsKey(member) || isUnharmed(stage.scenario(), member, outcome))
                .forEach(member -> complaints.add(member + " did not break down: it never came to that point"));
        boolean named = complaints.isEmpty();
        for (Map.Entry<String, MemberResult> each : outcome.results().entrySet()) {
            if (each.getValue().cameTooLate()) {
                continue;
            }
            for (String complaint : each.getValue().complaints(stage.scenario(), expected, TOLERANCE)) {
                complaints.add(each.getKey() + ": " + complaint);
                List<String> missing = each.getValue().missing();
                named &= !missing.isEmpty() && missing.containsAll(culprits);
            }
        }
        if (outcome.results().isEmpty()) {
            complaints.add("no member came to a result");
            named = false;
        }
        Ending ending = complaints.isEmpty() ? Ending.SOUND : named ? Ending.FAILED_BY_NAME : Ending.WRONG;
        return new Verdict(ending, complaints.isEmpty() ? "" : remark(complaints, outcome));
    }

    /** Members of other roles have no results: that one is lost is said by the coordinator. */
    private static boolean isUnharmed(TrainingScenario scenario, String member, ProcessCluster.Outcome outcome) {
        return scenario.breakdown() != null
                && scenario.breakdown().isOfAnotherRole()
                && outcome.log().stream().noneMatch(line -> line.contains(member + " is gone"));
    }

    /** Those that a driver has started end with it; where it is stopped, after their deadlines and with its name. */
    private static Verdict judgeChildren(Breakdown breakdown, ProcessCluster cluster, ProcessCluster.Outcome outcome) {
        List<String> left = cluster.orphans(LIMIT);
        if (!left.isEmpty()) {
            return new Verdict(Ending.HUNG, remark(left, outcome));
        }
        if (!outcome.results().isEmpty()) {
            return new Verdict(Ending.WRONG, remark(List.of("the driver did not break down"), outcome));
        }
        return breakdown.kill() ? new Verdict(Ending.FAILED_BY_NAME, "") : judgeLastWords(cluster.lastWordsToDriver());
    }

    /** Members whose driver was stopped have named it, or were done already. */
    private static Verdict judgeLastWords(List<String> words) {
        if (words.stream().anyMatch(line -> line.contains("the driver, process "))) {
            return new Verdict(Ending.FAILED_BY_NAME, "");
        }
        return words.stream().anyMatch(line -> line.contains("its process ended with exit code 0"))
                ? new Verdict(Ending.SOUND, "")
                : new Verdict(
                        Ending.WRONG, "\n    no member named the driver\n        " + String.join("\n        ", words));
    }

    private static String remark(List<String> complaints, ProcessCluster.Outcome outcome) {
        return "\n    " + String.join("\n    ", complaints) + "\n        " + String.join("\n        ", outcome.log());
    }

    /** Counts of how runs ended. */
    public static Map<Ending, Integer> counts(List<Line> lines) {
        Map<Ending, Integer> counts = new EnumMap<>(Ending.class);
        for (Ending ending : Ending.values()) {
            counts.put(ending, 0);
        }
        lines.forEach(line -> counts.merge(line.ending(), 1, Integer::sum));
        return counts;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("tutti-soak");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
