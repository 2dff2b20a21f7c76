package dev.tutti.strategy.multitask;

import dev.tutti.train.multitask.TaskLoss;
import dev.tutti.train.replica.StrategyReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where tasks were worked on during a run, as one member knows it. */
final class PlacementHistory {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementHistory.class);

    private final TaskLoss loss;
    private final List<List<String>> members = new ArrayList<>(); // of each task, now
    private final int[] moves;
    private final double[] rows;
    private TaskCosts costs;

    PlacementHistory(TaskLoss loss) {
        this.loss = loss;
        moves = new int[loss.count()];
        rows = new double[loss.count()];
    }

    /** @param says whether this member writes it into the log */
    void placed(TaskPlacement placement, IntFunction<String> names, boolean says) {
        for (int task = 0; task < loss.count(); task++) {
            List<String> now =
                    placement.ranks().get(task).stream().map(names::apply).toList();
            if (members.size() == task) {
                members.add(now);
            } else if (!members.get(task).equals(now)) {
                if (says) {
                    LOG.info("task {} moves from {} to {}", loss.name(task), shown(members.get(task)), shown(now));
                }
                members.set(task, now);
                moves[task]++;
            }
        }
    }

    void count(double[] more) {
        for (int task = 0; task < rows.length; task++) {
            rows[task] += more[task];
        }
    }

    void costs(TaskCosts measured) {
        costs = measured;
    }

    static boolean none(boolean[] flags) {
        boolean any = false;
        for (boolean flag : flags) {
            any |= flag;
        }
        return !any;
    }

    private static String shown(List<String> ids) {
        return ids.isEmpty() ? "rest" : String.join(", ", ids);
    }

    /** The same with how what is shared was agreed on. */
    StrategyReport report(int servers, long pushes) {
        StrategyReport tasks = report();
        if (tasks.equals(StrategyReport.NONE)) {
            return tasks;
        }
        Map<String, Object> values = new LinkedHashMap<>(tasks.values());
        values.put("sharedPart", Map.of("servers", servers, "pushes", pushes));
        String line = String.format(
                Locale.ROOT,
                "the shared part was on %d server(s); this member pushed to it %,d times%n",
                servers,
                pushes);
        return new StrategyReport(tasks.text() + line, values);
    }

    StrategyReport report() {
        if (members.isEmpty()) {
            return StrategyReport.NONE;
        }
        int width = 4;
        for (int task = 0; task < loss.count(); task++) {
            width = Math.max(width, loss.name(task).length());
        }
        String line = "%-" + width + "s %12s %10s %6s  %s%n";
        StringBuilder text = new StringBuilder(
                String.format(Locale.ROOT, line, "task", "rows", "us a row", "moves", "at the end on"));
        List<Map<String, Object>> tasks = new ArrayList<>();
        for (int task = 0; task < loss.count(); task++) {
            double each = costs == null ? 0 : costs.secondsPerRow(task);
            text.append(String.format(
                    Locale.ROOT,
                    line,
                    loss.name(task),
                    String.format(Locale.ROOT, "%,d", Math.round(rows[task])),
                    String.format(Locale.ROOT, "%.1f", 1e6 * each),
                    moves[task],
                    shown(members.get(task))));
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("task", loss.name(task));
            values.put("rows", Math.round(rows[task]));
            values.put("secondsPerRow", each);
            values.put("moves", moves[task]);
            values.put("members", members.get(task));
            tasks.add(values);
        }
        return new StrategyReport(text.toString(), Map.of("tasks", tasks));
    }
}
