package dev.tutti.strategy.parallel.plan;

import dev.tutti.strategy.parallel.pipeline.ScheduleSlot;
import dev.tutti.strategy.parallel.pipeline.ScheduleTable;
import dev.tutti.strategy.parallel.pipeline.ScheduleTimeline;
import java.util.List;
import java.util.Locale;

/** A schedule as a coloured table: a row for each stage, time to the right, passes forward blue and backward green. */
public final class ScheduleSvg {
    private static final int ROW = 34;
    private static final int UNIT = 26;
    private static final int LEFT = 84;
    private static final int TOP = 44;
    private static final double MEASURED_WIDTH = 900;
    private static final double ROOM_FOR_NUMBER = 16;
    private static final List<String> FORWARD = List.of("#9ec5fe", "#5b9bf8", "#2f6fd0", "#1d4f9e");
    private static final List<String> BACKWARD = List.of("#a6e3b8", "#5fc98a", "#2f9e5f", "#1f7043");

    private ScheduleSvg() {}

    /**
     * Draws a table in time.
     *
     * @param backward how much longer a pass backward takes than one forward
     */
    public static String of(ScheduleTable table, String title, double backward) {
        ScheduleTimeline timeline = ScheduleTimeline.of(table, backward);
        return draw(
                timeline,
                title,
                UNIT,
                String.format(
                        Locale.ROOT,
                        "forward blue, backward green; idle %.1f%% of the time; at most %d micro-batches alive on stage 1",
                        100 * timeline.bubble(),
                        table.mostAlive(0)));
    }

    /** Draws a step as it was measured, in seconds. */
    public static String measured(ScheduleTimeline timeline, String title) {
        return draw(
                timeline,
                title,
                MEASURED_WIDTH / timeline.end(),
                String.format(
                        Locale.ROOT,
                        "forward blue, backward green; %.1f ms; idle %.1f%% of the time",
                        1000 * timeline.end(),
                        100 * timeline.bubble()));
    }

    private static String draw(ScheduleTimeline timeline, String title, double unit, String below) {
        int stages = timeline.spans().size();
        int width = LEFT + (int) Math.ceil(timeline.end() * unit) + 20;
        int height = TOP + stages * ROW + 40;
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                        + "<text x=\"10\" y=\"22\" font-size=\"14\">%s</text>%n",
                width,
                height,
                escaped(title)));
        for (int stage = 0; stage < stages; stage++) {
            int y = TOP + stage * ROW;
            svg.append(String.format(
                    Locale.ROOT, "<text x=\"10\" y=\"%d\">stage %d</text>%n", y + ROW / 2 + 2, stage + 1));
            for (ScheduleTimeline.Span span : timeline.spans().get(stage)) {
                append(svg, span, y, unit);
            }
        }
        svg.append(String.format(
                Locale.ROOT, "<text x=\"10\" y=\"%d\" fill=\"#555\">%s</text>%n</svg>%n", height - 14, escaped(below)));
        return svg.toString();
    }

    private static void append(StringBuilder svg, ScheduleTimeline.Span span, int y, double unit) {
        ScheduleSlot slot = span.slot();
        List<String> colours = slot.backward() ? BACKWARD : FORWARD;
        double x = LEFT + span.from() * unit;
        double width = (span.to() - span.from()) * unit;
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"white\"/>",
                x,
                y,
                width,
                ROW - 6,
                colours.get(slot.chunk() % colours.size())));
        if (width >= ROOM_FOR_NUMBER) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
                    x + width / 2,
                    y + ROW / 2 + 2,
                    slot.microBatch() + 1));
        }
        svg.append(System.lineSeparator());
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
