package dev.tutti.tune.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tutti.tune.Dimension;
import dev.tutti.tune.SearchSpace;
import dev.tutti.tune.Trial;
import dev.tutti.tune.TrialTable;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A picture of a search: one upright axis for each setting and one for the value, one line for each trial, the best ones dark. */
final class ParallelCoordinates {
    private static final int STEP = 150;
    private static final int LEFT = 70;
    private static final int TOP = 50;
    private static final int HEIGHT = 300;

    private final SearchSpace space;
    private final TrialTable table;
    private final String metric;

    ParallelCoordinates(SearchSpace space, TrialTable table, String metric) {
        this.space = space;
        this.table = table;
        this.metric = metric;
    }

    String svg() {
        List<Trial> measured = table.trials().stream()
                .filter(trial ->
                        trial.last().isPresent() && Double.isFinite(trial.last().getAsDouble()))
                .sorted(Comparator.<Trial>comparingDouble(
                        trial -> -table.cost(trial.last().getAsDouble())))
                .toList(); // the best is drawn last, over the others
        double low = measured.stream()
                .mapToDouble(trial -> trial.last().getAsDouble())
                .min()
                .orElse(0);
        double high = measured.stream()
                .mapToDouble(trial -> trial.last().getAsDouble())
                .max()
                .orElse(1);
        int axes = space.dimensions().size() + 1;
        int width = LEFT * 2 + STEP * (axes - 1);
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                width,
                TOP + HEIGHT + 40));
        for (int i = 0; i < measured.size(); i++) {
            line(out, measured.get(i), low, high, measured.size() < 2 ? 1 : i / (measured.size() - 1.0));
        }
        for (int i = 0; i < axes - 1; i++) {
            Dimension dimension = space.dimensions().get(i);
            axis(out, i, space.label(dimension), dimension.at(0), dimension.at(1));
        }
        axis(out, axes - 1, metric, number(low), number(high));
        return out.append("</svg>\n").toString();
    }

    private void line(StringBuilder out, Trial trial, double low, double high, double rank) {
        double[] point = space.point(trial.values());
        StringBuilder places = new StringBuilder();
        for (int i = 0; i <= point.length; i++) {
            double value =
                    i < point.length ? point[i] : high > low ? (trial.last().getAsDouble() - low) / (high - low) : 0.5;
            places.append(String.format(Locale.ROOT, "%d,%.1f ", LEFT + i * STEP, TOP + HEIGHT * (1 - value)));
        }
        int shade = (int) Math.round(200 * (1 - rank));
        out.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"rgb(%d,%d,%d)\" stroke-width=\"%.1f\"><title>trial %d: %s %s</title></polyline>%n",
                places.toString().strip(),
                shade,
                shade,
                Math.min(255, 120 + shade / 2),
                rank == 1 ? 3 : 1.5,
                trial.number(),
                escaped(metric),
                number(trial.last().getAsDouble())));
    }

    private static void axis(StringBuilder out, int index, String label, Object low, Object high) {
        int x = LEFT + index * STEP;
        out.append(String.format(
                Locale.ROOT,
                "<line x1=\"%1$d\" y1=\"%2$d\" x2=\"%1$d\" y2=\"%3$d\" stroke=\"black\"/>%n"
                        + "<text x=\"%1$d\" y=\"%4$d\" text-anchor=\"middle\" font-weight=\"bold\">%5$s</text>%n"
                        + "<text x=\"%1$d\" y=\"%6$d\" text-anchor=\"middle\">%7$s</text>%n"
                        + "<text x=\"%1$d\" y=\"%8$d\" text-anchor=\"middle\">%9$s</text>%n",
                x,
                TOP,
                TOP + HEIGHT,
                TOP - 26,
                escaped(label),
                TOP - 8,
                escaped(text(high)),
                TOP + HEIGHT + 18,
                escaped(text(low))));
    }

    private static String text(Object value) {
        return value instanceof JsonNode node
                ? node.isFloatingPointNumber()
                        ? number(node.doubleValue())
                        : node.isTextual() ? node.textValue() : node.toString()
                : value.toString();
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.4g", value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
