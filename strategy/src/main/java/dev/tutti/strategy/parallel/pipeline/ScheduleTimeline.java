package dev.tutti.strategy.parallel.pipeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A schedule in time, if every pass takes as long as it should: each slot begins when its stage is free and what it needs is there.
 *
 * @param spans the slots of each stage with their times
 * @param end when the last slot ends
 */
public record ScheduleTimeline(List<List<Span>> spans, double end) {
    /** A slot that runs from a time to another. */
    public record Span(ScheduleSlot slot, double from, double to) {}

    /** How long the passes of a micro-batch take, by part of the model. */
    public interface PassTimes {
        double seconds(boolean backward, int part);

        /** Until what a pass gives is where the next part needs it. */
        double travel(boolean backward, int part);
    }

    /** @param backward how much longer a pass backward takes than one forward, which takes 1 for a chunk */
    public static ScheduleTimeline of(ScheduleTable table, double backward) {
        return of(table, new PassTimes() {
            @Override
            public double seconds(boolean isBackward, int part) {
                return isBackward ? backward : 1;
            }

            @Override
            public double travel(boolean isBackward, int part) {
                return 0;
            }
        });
    }

    /** The timeline of parts that take different times; what they give travels while they compute on. */
    public static ScheduleTimeline of(ScheduleTable table, PassTimes times) {
        int parts = table.stages() * table.chunks();
        Map<String, Double> done = new HashMap<>();
        List<List<Span>> spans = new ArrayList<>();
        int[] next = new int[table.stages()];
        double[] free = new double[table.stages()];
        for (int stage = 0; stage < table.stages(); stage++) {
            spans.add(new ArrayList<>());
        }
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int stage = 0; stage < table.stages(); stage++) {
                List<ScheduleSlot> row = table.of(stage);
                while (next[stage] < row.size()) {
                    ScheduleSlot slot = row.get(next[stage]);
                    int part = slot.chunk() * table.stages() + stage;
                    Double ready = ready(slot, part, parts, done, times);
                    if (ready == null) {
                        break;
                    }
                    double from = Math.max(free[stage], ready);
                    double to = from + times.seconds(slot.backward(), part);
                    spans.get(stage).add(new Span(slot, from, to));
                    done.put(key(slot.backward(), part, slot.microBatch()), to);
                    free[stage] = to;
                    next[stage]++;
                    moved = true;
                }
            }
        }
        for (int stage = 0; stage < table.stages(); stage++) {
            if (next[stage] < table.of(stage).size()) {
                throw new IllegalStateException("the schedule cannot run: stage " + stage + " waits for "
                        + table.of(stage).get(next[stage]) + " for ever");
            }
        }
        double end = 0;
        for (double each : free) {
            end = Math.max(end, each);
        }
        return new ScheduleTimeline(spans, end);
    }

    private static String key(boolean backward, int part, int microBatch) {
        return backward + "/" + part + "/" + microBatch;
    }

    /** When what a slot needs is there; null: not yet known. */
    private static Double ready(ScheduleSlot slot, int part, int parts, Map<String, Double> done, PassTimes times) {
        if (!slot.backward()) {
            Double before = part == 0 ? Double.valueOf(0) : done.get(key(false, part - 1, slot.microBatch()));
            return before == null || part == 0 ? before : Double.valueOf(before + times.travel(false, part - 1));
        }
        Double own = done.get(key(false, part, slot.microBatch()));
        if (own == null || part == parts - 1) {
            return own;
        }
        Double later = done.get(key(true, part + 1, slot.microBatch()));
        return later == null ? null : Double.valueOf(Math.max(own, later + times.travel(true, part + 1)));
    }

    /** The share of the time in which stages have nothing to do. */
    public double bubble() {
        double busy = 0;
        for (List<Span> row : spans) {
            for (Span span : row) {
                busy += span.to - span.from;
            }
        }
        return 1 - busy / (end * spans.size());
    }
}
