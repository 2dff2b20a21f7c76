package dev.tutti.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Draws the samples a second of each kind of strategy over the number of nodes, both axes by powers of ten. */
public final class ScalingSvg {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 480;
    private static final int LEFT = 80;
    private static final int RIGHT = 230;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final List<String> COLOURS =
            List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2");

    private final JobPlan plan;
    private final double mostNodes;
    private final double leastRate;
    private final double mostRate;

    private ScalingSvg(JobPlan plan) {
        this.plan = plan;
        mostNodes = Math.max(
                2, plan.runs().stream().mapToInt(RunEstimate::nodes).max().orElse(2));
        double alone = plan.runs().stream()
                .mapToDouble(run -> run.samplesPerSecond() / run.efficiency() / run.nodes())
                .findFirst()
                .orElse(1);
        leastRate = plan.runs().stream()
                .mapToDouble(RunEstimate::samplesPerSecond)
                .min()
                .orElse(1);
        mostRate = Math.max(leastRate * 2, alone * mostNodes);
    }

    public static String of(JobPlan plan) {
        return new ScalingSvg(plan).draw();
    }

    private String draw() {
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                        + "<text x=\"%d\" y=\"24\" font-size=\"15\">%s: samples a second by nodes, %s, predicted</text>%n",
                WIDTH,
                HEIGHT,
                LEFT,
                escaped(plan.profile().name()),
                plan.network()));
        axes(svg);
        int line = 0;
        for (Map.Entry<String, Map<Integer, RunEstimate>> curve : curves().entrySet()) {
            draw(svg, curve.getKey(), new ArrayList<>(curve.getValue().values()), line++);
        }
        return svg.append("</svg>\n").toString();
    }

    /** The best run of each kind for each number of nodes. */
    private Map<String, Map<Integer, RunEstimate>> curves() {
        Map<String, Map<Integer, RunEstimate>> curves = new LinkedHashMap<>();
        for (RunEstimate run : plan.runs()) {
            curves.computeIfAbsent(kind(run), name -> new TreeMap<>())
                    .merge(
                            run.nodes(),
                            run,
                            (one, other) -> one.samplesPerSecond() >= other.samplesPerSecond() ? one : other);
        }
        return curves;
    }

    private static String kind(RunEstimate run) {
        return run.strategy().startsWith("grid") ? "best grid" : run.strategy().replaceAll(", \\d+ servers?$", "");
    }

    private void axes(StringBuilder svg) {
        for (double nodes = 1; nodes <= mostNodes; nodes *= 10) {
            grid(svg, x(nodes), TOP, x(nodes), HEIGHT - BOTTOM);
            text(svg, x(nodes), HEIGHT - BOTTOM + 18, "middle", String.format(Locale.ROOT, "%,.0f", nodes));
        }
        for (double rate = Math.pow(10, Math.ceil(Math.log10(leastRate))); rate <= mostRate; rate *= 10) {
            grid(svg, LEFT, y(rate), WIDTH - RIGHT, y(rate));
            text(svg, LEFT - 6, y(rate) + 4, "end", String.format(Locale.ROOT, "%,.4g", rate));
        }
        text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 20, "middle", "nodes");
        double alone = mostRate / mostNodes;
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#999\" stroke-dasharray=\"5,4\"/>%n",
                x(1),
                y(Math.max(leastRate, alone)),
                x(mostNodes),
                y(mostRate)));
        text(svg, WIDTH - RIGHT + 8, y(mostRate) + 4, "start", "as many times as there are nodes");
    }

    private void draw(StringBuilder svg, String name, List<RunEstimate> runs, int number) {
        String colour = COLOURS.get(number % COLOURS.size());
        StringBuilder points = new StringBuilder();
        for (RunEstimate run : runs) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(run.nodes()), y(run.samplesPerSecond())));
            svg.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                    x(run.nodes()),
                    y(run.samplesPerSecond()),
                    colour));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
                points.toString().strip(),
                colour));
        double y = TOP + 40 + 20.0 * number;
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>%n",
                WIDTH - RIGHT + 8,
                y - 6,
                colour));
        text(svg, WIDTH - RIGHT + 26, y, "start", name);
    }

    private double x(double nodes) {
        return LEFT + Math.log(nodes) / Math.log(mostNodes) * (WIDTH - RIGHT - LEFT);
    }

    private double y(double rate) {
        double part = Math.log(rate / leastRate) / Math.log(mostRate / leastRate);
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
    }

    private static void grid(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String words) {
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                escaped(words)));
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;");
    }
}
