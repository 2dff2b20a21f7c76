package dev.tutti.serve.tensor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads a tensor from nested lists of numbers in JSON, as a stream: no tree of the request is ever built. */
public final class JsonTensorReader {
    /** No tensor of ours has more axes; deeper lists are refused before they are read. */
    private static final int MOST_AXES = 16;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(32)
                    .maxNumberLength(400)
                    .maxStringLength(64 << 20)
                    .maxNameLength(1_000)
                    .build())
            .build();

    private final NumberBuffer numbers = new NumberBuffer();
    private final List<Integer> extents = new ArrayList<>();
    private int depth = -1;

    private JsonTensorReader() {}

    /** A parser with the limits of the service: depth, lengths of names and numbers, keys that stand twice. */
    public static JsonParser open(byte[] json, int offset, int length) throws IOException {
        return FACTORY.createParser(json, offset, length);
    }

    /**
     * Reads the value that the parser stands on.
     *
     * @throws ServeException if it is no number and no list of lists of equal lengths
     */
    public static JsonTensorReader read(JsonParser parser) throws IOException {
        JsonTensorReader reader = new JsonTensorReader();
        reader.value(parser, 0);
        return reader;
    }

    /** The lengths of the lists, outermost first. */
    public Shape shape() {
        return Shape.of(extents.stream().mapToLong(Integer::longValue).toArray());
    }

    public int size() {
        return numbers.size();
    }

    public NdArray toArray(DType type, Shape shape) {
        return numbers.toArray(type, shape);
    }

    private void value(JsonParser parser, int axis) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_ARRAY) {
            list(parser, axis);
            return;
        }
        if (depth < 0) {
            depth = axis;
        } else if (axis != depth) {
            throw ServeException.invalid(
                    "numbers stand beside lists" + at(parser) + ": all rows must have the same shape");
        }
        switch (token) {
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> numbers.add(parser.getDoubleValue());
            case VALUE_TRUE -> numbers.add(1);
            case VALUE_FALSE -> numbers.add(0);
            default ->
                throw ServeException.invalid(
                        "expected a number or a list of numbers" + at(parser) + ", received " + received(token));
        }
    }

    private void list(JsonParser parser, int axis) throws IOException {
        if (axis == MOST_AXES || depth >= 0 && axis >= depth) {
            throw ServeException.invalid(
                    axis == MOST_AXES
                            ? "lists are nested more than " + MOST_AXES + " deep"
                            : "numbers stand beside lists" + at(parser) + ": all rows must have the same shape");
        }
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            value(parser, axis + 1);
            count++;
        }
        while (extents.size() <= axis) {
            extents.add(-1);
        }
        if (extents.get(axis) < 0) {
            extents.set(axis, count);
        } else if (extents.get(axis) != count) {
            throw ServeException.invalid("lists of different lengths" + at(parser) + ": " + extents.get(axis)
                    + " before, now " + count + "; all rows must have the same shape");
        }
    }

    private static String received(JsonToken token) {
        return switch (token) {
            case VALUE_STRING -> "text";
            case VALUE_NULL -> "null";
            case START_OBJECT -> "an object";
            default -> "the end";
        };
    }

    private static String at(JsonParser parser) {
        var place = parser.currentLocation();
        return " (line " + place.getLineNr() + ", column " + place.getColumnNr() + ")";
    }
}
