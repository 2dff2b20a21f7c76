package dev.tutti.bench.ps;

import dev.tutti.TuttiException;
import dev.tutti.io.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Losses over time as an SVG picture; a curve comes from a file with lines {@code seconds,loss}. */
public final class LossPicture {
    private static final List<String> COLOURS =
            List.of("#444444", "#1f77b4", "#2ca02c", "#ff7f0e", "#d62728", "#9467bd");
    private static final int WIDTH = 640;
    private static final int HEIGHT = 360;
    private static final int LEFT = 56;
    private static final int TOP = 16;
    private static final int RIGHT = 150;
    private static final int BOTTOM = 44;
    private static final int GRID = 4;
    private static final int MOST_POINTS = 200;

    private final Map<String, List<double[]>> curves = new LinkedHashMap<>();

    /** Adds the curve of a file; one without points is left out. */
    public void add(String name, Path file) {
        try {
            List<double[]> points = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                String[] numbers = line.split(",");
                points.add(new double[] {Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1])});
            }
            if (!points.isEmpty()) {
                curves.put(name, points);
            }
        } catch (IOException e) {
            throw new TuttiException("the curve in " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Writes the picture; nothing where there is no curve. */
    public void write(Path file) {
        if (!curves.isEmpty()) {
            AtomicFile.write(file, svg());
        }
    }

    private double most(int coordinate) {
        return curves.values().stream()
                .flatMap(List::stream)
                .mapToDouble(point -> point[coordinate])
                .max()
                .orElse(1);
    }

    String svg() {
        double mostTime = most(0);
        double mostLoss = most(1);
        StringBuilder out = new StringBuilder();
        line(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                WIDTH,
                HEIGHT);
        line(out, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", WIDTH, HEIGHT);
        for (int i = 0; i <= GRID; i++) {
            double x = x((double) i / GRID);
            double y = y((double) i / GRID);
            line(out, "<path d=\"M%.1f %d V%.1f M%d %.1f H%.1f\" stroke=\"#dddddd\"/>", x, TOP, y(0), LEFT, y, x(1));
            line(
                    out,
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.1f</text>",
                    x,
                    y(0) + 16,
                    mostTime * i / GRID);
            line(
                    out,
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>",
                    LEFT - 6,
                    y + 4,
                    mostLoss * i / GRID);
        }
        line(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">seconds</text>", x(0.5), HEIGHT - 8);
        int number = 0;
        for (Map.Entry<String, List<double[]>> curve : curves.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            line(
                    out,
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>",
                    points(curve.getValue(), mostTime, mostLoss),
                    colour);
            line(
                    out,
                    "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>",
                    WIDTH - RIGHT + 10,
                    TOP + 14 + 18 * number,
                    colour,
                    curve.getKey());
            number++;
        }
        line(out, "</svg>");
        return out.toString();
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String points(List<double[]> all, double mostTime, double mostLoss) {
        int step = Math.max(1, all.size() / MOST_POINTS);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            if (i % step == 0 || i == all.size() - 1) {
                double[] point = all.get(i);
                out.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(point[0] / mostTime), y(point[1] / mostLoss)));
            }
        }
        return out.toString().strip();
    }

    private static double x(double share) {
        return LEFT + share * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double share) {
        return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
    }
}
