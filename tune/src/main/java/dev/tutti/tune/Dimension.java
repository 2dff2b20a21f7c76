package dev.tutti.tune;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.List;
import java.util.Locale;

/**
 * One setting of a job that is searched for: where it stands and the values it may have.
 *
 * <p>Searchers work on the unit interval; {@link #at} and {@link #unitOf} translate.
 *
 * @param path keys with dots between them, such as {@code optimizer.learningRate}
 * @param scale how the unit interval is stretched over the values
 * @param low the least number
 * @param high the greatest number
 * @param choices the values of {@link Scale#CHOICE}; empty otherwise
 */
public record Dimension(String path, Scale scale, double low, double high, List<JsonNode> choices) {
    /** How values are spread. */
    public enum Scale {
        /** Real numbers, evenly. */
        UNIFORM,
        /** Real numbers, evenly by their logarithm. */
        LOG,
        /** Whole numbers, evenly. */
        INT,
        /** Whole numbers, evenly by their logarithm. */
        LOG_INT,
        /** One of several values without an order. */
        CHOICE;

        /** The key in a job file: {@code log}, {@code logInt}. */
        public String key() {
            return this == LOG_INT ? "logInt" : name().toLowerCase(Locale.ROOT);
        }
    }

    public Dimension {
        choices = List.copyOf(choices);
    }

    public boolean isChoice() {
        return scale == Scale.CHOICE;
    }

    /** How many values there are to choose from; only for {@link Scale#CHOICE}. */
    public int count() {
        return choices.size();
    }

    /** The value at a place of the unit interval. */
    public JsonNode at(double unit) {
        double place = Math.min(Math.max(unit, 0), Math.nextDown(1.0));
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (scale) {
            case CHOICE -> choices.get((int) (place * choices.size()));
            case UNIFORM -> nodes.numberNode(low + place * (high - low));
            case LOG -> nodes.numberNode(Math.exp(Math.log(low) + place * (Math.log(high) - Math.log(low))));
            case INT -> nodes.numberNode(whole(Math.floor(low + place * (high - low + 1))));
            case LOG_INT ->
                nodes.numberNode(whole(Math.floor(
                        Math.exp(Math.log(low) + place * (Math.log(high + 1) - Math.log(low))) + 1e-9)));
        };
    }

    private long whole(double value) {
        return Math.round(Math.min(Math.max(value, low), high));
    }

    /** The place of a value in the unit interval: the middle of those that give it. */
    public double unitOf(JsonNode value) {
        return switch (scale) {
            case CHOICE -> (choices.indexOf(value) + 0.5) / choices.size();
            case UNIFORM -> (value.doubleValue() - low) / (high - low);
            case LOG -> (Math.log(value.doubleValue()) - Math.log(low)) / (Math.log(high) - Math.log(low));
            case INT -> (value.doubleValue() - low + 0.5) / (high - low + 1);
            case LOG_INT ->
                (Math.log(value.doubleValue() + 0.5) - Math.log(low)) / (Math.log(high + 1) - Math.log(low));
        };
    }
}
