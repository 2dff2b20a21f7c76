package dev.tutti.bench.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Predicted seconds over measured ones, both on logarithmic axes: on the diagonal a prediction is right. */
final class PlanPicture {
    private static final int SIZE = 460;
    private static final int MARGIN = 60;
    private static final int LEGEND = 290;
    private static final List<String> COLOURS =
            List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2");

    private final List<PlanRow> rows;
    private final double least;
    private final double most;

    private PlanPicture(List<PlanRow> rows) {
        this.rows = rows;
        least = rows.stream()
                        .mapToDouble(row -> Math.min(row.predictedSeconds(), row.measuredSeconds()))
                        .min()
                        .orElse(0.001)
                / 1.3;
        most = rows.stream()
                        .mapToDouble(row -> Math.max(row.predictedSeconds(), row.measuredSeconds()))
                        .max()
                        .orElse(1)
                * 1.3;
    }

    static String of(List<PlanRow> rows) {
        return new PlanPicture(rows).draw();
    }

    private double place(double seconds) {
        return Math.log(seconds / least) / Math.log(most / least) * SIZE;
    }

    private String draw() {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                SIZE + 2 * MARGIN + LEGEND,
                SIZE + 2 * MARGIN));
        line(svg, least, least, most, most, "#888", "");
        line(svg, least * 1.15, least, most, most / 1.15, "#ccc", " stroke-dasharray=\"4 3\"");
        line(svg, least, least * 1.15, most / 1.15, most, "#ccc", " stroke-dasharray=\"4 3\"");
        for (double tick : new double[] {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10}) {
            if (tick >= least && tick <= most) {
                String label = String.format(Locale.ROOT, "%.0f ms", 1000 * tick);
                text(svg, MARGIN + place(tick) - 14, MARGIN + SIZE + 18, label);
                text(svg, 6, MARGIN + SIZE - place(tick) + 4, label);
            }
        }
        text(svg, MARGIN + SIZE / 2.0 - 30, SIZE + 2 * MARGIN - 10, "measured");
        text(svg, MARGIN, MARGIN - 20, "predicted (dashed: 15% off)");
        List<String> strategies = new ArrayList<>();
        for (PlanRow row : rows) {
            String kind = row.strategy().replaceAll(", \\d+ servers?", "");
            if (!strategies.contains(kind)) {
                strategies.add(kind);
                int y = MARGIN + 20 * strategies.size();
                svg.append(circle(SIZE + 2 * MARGIN, y - 4, strategies.size() - 1, kind));
                text(svg, SIZE + 2 * MARGIN + 12, y, kind);
            }
            svg.append(circle(
                    MARGIN + place(row.measuredSeconds()),
                    MARGIN + SIZE - place(row.predictedSeconds()),
                    strategies.indexOf(kind),
                    row.strategy() + ", " + row.hosts() + " hosts, " + row.link()));
        }
        return svg.append("</svg>\n").toString();
    }

    private void line(StringBuilder svg, double x1, double y1, double x2, double y2, String colour, String style) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>%n",
                MARGIN + place(x1),
                MARGIN + SIZE - place(y1),
                MARGIN + place(x2),
                MARGIN + SIZE - place(y2),
                colour,
                style));
    }

    private static void text(StringBuilder svg, double x, double y, String text) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>%n", x, y, text));
    }

    private static String circle(double x, double y, int colour, String title) {
        return String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" fill-opacity=\"0.7\"><title>%s</title></circle>%n",
                x,
                y,
                COLOURS.get(colour % COLOURS.size()),
                title);
    }
}
