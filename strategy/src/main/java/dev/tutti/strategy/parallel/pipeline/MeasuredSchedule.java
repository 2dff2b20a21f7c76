package dev.tutti.strategy.parallel.pipeline;

import dev.tutti.train.callback.Callback;
import dev.tutti.train.profile.Timeline;
import dev.tutti.train.profile.TimelineObserver;
import dev.tutti.train.profile.Timing.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Measures when the stages of a pipeline ran which pass. A callback of a run on one set of members without slices, so that the rank of a
 * member is its stage; it is asked when the run is over.
 *
 * <p>A stage computes its slots in the order of its row of the table, so the stretches of computing in its timeline are these slots.
 */
public final class MeasuredSchedule implements Callback, TimelineObserver {
    private final Map<Integer, Timeline> stages = new TreeMap<>();

    @Override
    public Optional<TimelineObserver> timelineObserver() {
        return Optional.of(this);
    }

    @Override
    public void follow(Timeline own, Supplier<String> name) {
        stages.put(0, own);
    }

    @Override
    public void member(int rank, String name, Timeline timeline) {
        stages.put(rank, timeline);
    }

    /**
     * A step as it was, in seconds since its first pass began.
     *
     * @param table what the stages ran in every step
     * @param step counted from 0
     * @throws IllegalStateException if not all stages have told of it
     */
    public ScheduleTimeline step(ScheduleTable table, int step) {
        List<List<ScheduleTimeline.Span>> spans = new ArrayList<>();
        for (int stage = 0; stage < table.stages(); stage++) {
            spans.add(spans(stage, table.of(stage), step));
        }
        double first =
                spans.stream().mapToDouble(row -> row.get(0).from()).min().orElse(0);
        List<List<ScheduleTimeline.Span>> shifted = new ArrayList<>();
        double end = 0;
        for (List<ScheduleTimeline.Span> row : spans) {
            List<ScheduleTimeline.Span> from = new ArrayList<>();
            for (ScheduleTimeline.Span span : row) {
                from.add(new ScheduleTimeline.Span(span.slot(), span.from() - first, span.to() - first));
                end = Math.max(end, span.to() - first);
            }
            shifted.add(from);
        }
        return new ScheduleTimeline(shifted, end);
    }

    private List<ScheduleTimeline.Span> spans(int stage, List<ScheduleSlot> row, int step) {
        Timeline timeline = stages.get(stage);
        List<ScheduleTimeline.Span> spans = new ArrayList<>();
        int computed = 0;
        for (int i = 0; timeline != null && i < timeline.size() && spans.size() < row.size(); i++) {
            if (timeline.phase(i) == Phase.COMPUTE && computed++ >= step * row.size()) {
                double from = (timeline.began(i) - stages.get(0).began(0)) / 1e9;
                spans.add(new ScheduleTimeline.Span(row.get(spans.size()), from, from + timeline.length(i) / 1e9));
            }
        }
        if (spans.size() < row.size()) {
            throw new IllegalStateException("stage " + (stage + 1) + " has told of " + spans.size() + " of its "
                    + row.size() + " passes of step " + step);
        }
        return spans;
    }
}
