package dev.tutti.serve.metrics;

import java.util.Locale;
import java.util.Map;

/** Writes metrics in the text format that Prometheus reads. */
final class ExpositionText {
    private final StringBuilder text = new StringBuilder(4096);

    ExpositionText family(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    ExpositionText sample(String name, Map<String, String> labels, double value) {
        text.append(name)
                .append(labels(labels, null))
                .append(' ')
                .append(number(value))
                .append('\n');
        return this;
    }

    ExpositionText histogram(String name, Map<String, String> labels, BucketCounts histogram) {
        double[] bounds = histogram.bounds();
        long[] counts = histogram.counts();
        long all = 0;
        for (int i = 0; i < counts.length; i++) {
            all += counts[i];
            String bound = i < bounds.length ? number(bounds[i]) : "+Inf";
            text.append(name)
                    .append("_bucket")
                    .append(labels(labels, bound))
                    .append(' ')
                    .append(all)
                    .append('\n');
        }
        text.append(name).append("_sum").append(labels(labels, null)).append(' ');
        text.append(number(histogram.sum())).append('\n');
        text.append(name)
                .append("_count")
                .append(labels(labels, null))
                .append(' ')
                .append(all)
                .append('\n');
        return this;
    }

    private static String labels(Map<String, String> labels, String bound) {
        StringBuilder all = new StringBuilder();
        labels.forEach((key, value) -> all.append(all.isEmpty() ? "" : ",")
                .append(key)
                .append("=\"")
                .append(value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"))
                .append('"'));
        if (bound != null) {
            all.append(all.isEmpty() ? "" : ",").append("le=\"").append(bound).append('"');
        }
        return all.isEmpty() ? "" : "{" + all + "}";
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%s", value);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
