package dev.tutti.testkit;

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
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Many trainings with faults drawn by chance, on real JVMs: each has to come to the undisturbed run's result, none may hang. */
public final class Soak {
    /** JVMs of a loaded machine start slowly; nothing that is waited for here takes longer. */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private static final double TOLERANCE = 1e-4;

    private final Consumer<String> out;
    private final List<Line> lines = new ArrayList<>();

    /** How a run can end. */
    public enum Ending {
        /** Every member that was not killed came to the result of the undisturbed run. */
        SOUND,
        /** A member failed, and said who is missing. */
        FAILED_BY_NAME,
        /** A result is not that of the undisturbed run, or nobody is to blame for a failure. */
        WRONG,
        /** A member neither went on nor failed. */
        HUNG
    }

    /** One run. */
    public record Line(Season season, Ending ending, double seconds, String remark) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-14s %5.1f s  %s%s", ending, seconds, season, remark);
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
            Line line = run(Season.draw(seed + i));
            lines.add(line);
            out.accept(line.toString());
        }
        return List.copyOf(lines);
    }

    /** Stops or kills a member at one point of the training after the other. @param every steps between two points */
    public List<Line> sweep(int every) {
        for (Season season : Season.sweep(every)) {
            Line line = run(season);
            lines.add(line);
            out.accept(line.toString());
        }
        return List.copyOf(lines);
    }

    private static Line run(Season season) {
        Drill drill = season.drill();
        Path folder = temporary();
        long began = System.nanoTime();
        try (Ensemble ensemble = season.stage().start(folder)) {
            Ensemble.Outcome outcome = ensemble.await(LIMIT);
            double seconds = (System.nanoTime() - began) / 1e9;
            return judge(season, drill, outcome, seconds);
        } finally {
            delete(folder);
        }
    }

    private static Line judge(Season season, Drill drill, Ensemble.Outcome outcome, double seconds) {
        if (!outcome.hung().isEmpty()) {
            return new Line(season, Ending.HUNG, seconds, remark(outcome.hung(), outcome));
        }
        Result expected = drill.undisturbed();
        List<String> complaints = new ArrayList<>();
        boolean named = true;
        for (Map.Entry<String, Result> each : outcome.results().entrySet()) {
            for (String complaint : each.getValue().complaints(drill, expected, TOLERANCE)) {
                complaints.add(each.getKey() + ": " + complaint);
                named &= !each.getValue().missing().isEmpty();
            }
        }
        if (outcome.results().isEmpty()) {
            complaints.add("nobody came to a result");
            named = false;
        }
        Ending ending = complaints.isEmpty() ? Ending.SOUND : named ? Ending.FAILED_BY_NAME : Ending.WRONG;
        return new Line(season, ending, seconds, complaints.isEmpty() ? "" : remark(complaints, outcome));
    }

    private static String remark(List<String> complaints, Ensemble.Outcome outcome) {
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

    /** The results as a page. @param command what made them */
    public static String page(List<Line> lines, String command) {
        StringBuilder page = new StringBuilder("# Soak: training under random faults\n\n`" + command + "`\n\n");
        page.append("Real JVMs, all-reduce, ")
                .append(Season.EPOCHS + " epochs of " + Season.STEPS
                        + " steps. A run is sound when every member that was")
                .append(
                        " not killed counted every sample once\nin each epoch and has the parameters of the undisturbed")
                .append(" run (to ")
                .append(TOLERANCE)
                .append(").\n\n| ending | runs |\n|---|---|\n");
        counts(lines)
                .forEach((ending, count) -> page.append("| ")
                        .append(ending.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                        .append(" | ")
                        .append(count)
                        .append(" |\n"));
        page.append("\n| seed | members | ending | seconds | what happened |\n|---|---|---|---|---|\n");
        for (Line line : lines) {
            page.append(String.format(
                    Locale.ROOT,
                    "| %d | %d %s | %s | %.1f | %s |%n",
                    line.season.seed(),
                    line.season.members(),
                    line.season.byHand() ? "by hand" : "driven",
                    line.ending.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    line.seconds,
                    line.season.schedule()));
        }
        return page.toString();
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
