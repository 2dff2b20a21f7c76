package dev.tutti.federated.simulation;

import dev.tutti.train.Evaluation;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A page that shows the accuracy of each client: one bar for each, lowest first. */
public final class ClientPicture {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 320;
    private static final int LEFT = 48;

    private ClientPicture() {}

    /** A whole HTML page with one SVG picture and nothing from elsewhere. */
    public static String page(String title, List<Evaluation> clients) {
        List<Evaluation> sorted = clients.stream()
                .sorted(Comparator.comparingDouble(ClientPicture::accuracy))
                .toList();
        double mean =
                sorted.stream().mapToDouble(ClientPicture::accuracy).average().orElse(Double.NaN);
        double lowest = sorted.isEmpty() ? Double.NaN : accuracy(sorted.get(0));
        StringBuilder bars = new StringBuilder();
        double step = (WIDTH - LEFT) / (double) Math.max(1, sorted.size());
        for (int i = 0; i < sorted.size(); i++) {
            double value = accuracy(sorted.get(i));
            bars.append(String.format(
                    Locale.ROOT,
                    "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f'><title>%.3f of %d rows</title></rect>%n",
                    LEFT + i * step,
                    HEIGHT * (1 - value),
                    Math.max(0.5, step * 0.85),
                    HEIGHT * value,
                    value,
                    sorted.get(i).samples()));
        }
        StringBuilder lines = new StringBuilder();
        for (int tenth = 0; tenth <= 10; tenth += 2) {
            double y = HEIGHT * (1 - tenth / 10.0);
            lines.append(String.format(
                    Locale.ROOT,
                    "<line x1='%d' x2='%d' y1='%.1f' y2='%.1f'/><text x='4' y='%.1f'>%d%%</text>%n",
                    LEFT,
                    WIDTH,
                    y,
                    y,
                    y + 4,
                    tenth * 10));
        }
        return """
            <!doctype html>
            <html lang='en'><meta charset='utf-8'><title>%s</title>
            <style>body{font:15px sans-serif;margin:2em;max-width:1000px} rect{fill:#3b6ea5} line{stroke:#ccc}
            text{font-size:12px;fill:#555}</style>
            <h1>%s</h1>
            <p>Accuracy of the model on the rows of each of %d clients, lowest first. Mean over clients %.3f, lowest %.3f.</p>
            <svg viewBox='0 -10 %d %d' role='img' aria-label='accuracy of each client'>
            %s%s</svg></html>
            """.formatted(
                        escaped(title), escaped(title), sorted.size(), mean, lowest, WIDTH, HEIGHT + 20, lines, bars);
    }

    private static double accuracy(Evaluation evaluation) {
        double value = evaluation.get("accuracy");
        return Double.isNaN(value) ? 0 : value;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
