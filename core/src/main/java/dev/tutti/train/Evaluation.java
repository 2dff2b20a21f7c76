package dev.tutti.train;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** How good a model is on some data: the mean loss, the metrics by name, and how many samples were looked at. */
public record Evaluation(double loss, Map<String, Double> metrics, long samples) {
    /** The loss under {@code loss}, or a metric under its name; NaN when there is no such value. */
    public double get(String name) {
        return name.equals("loss") ? loss : metrics.getOrDefault(name, Double.NaN);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "loss %.4f", loss)
                + metrics.entrySet().stream()
                        .map(e -> String.format(Locale.ROOT, "  %s %.4f", e.getKey(), e.getValue()))
                        .collect(Collectors.joining());
    }
}
