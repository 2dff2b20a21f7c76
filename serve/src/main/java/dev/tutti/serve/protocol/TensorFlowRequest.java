package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelSignature;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.tensor.JsonTensorReader;
import dev.tutti.serve.tensor.RowShape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A request of TensorFlow Serving's REST interface: {@code instances} row by row, or {@code inputs} by columns. */
final class TensorFlowRequest {
    private final boolean columns;
    private final List<NdArray> arrays;

    private TensorFlowRequest(boolean columns, List<NdArray> arrays) {
        this.columns = columns;
        this.arrays = arrays;
    }

    /** Whether the answer is by columns too. */
    boolean isColumns() {
        return columns;
    }

    List<NdArray> arrays() {
        return arrays;
    }

    /** Reads {@code instances} or {@code inputs}. */
    static TensorFlowRequest predict(byte[] body, ModelSignature signature) throws IOException {
        try (JsonParser parser = object(body)) {
            TensorFlowRequest found = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                boolean rows = key.equals("instances");
                if (rows || key.equals("inputs")) {
                    if (found != null) {
                        throw ServeException.invalid("expected either 'instances' or 'inputs', received both");
                    }
                    found = new TensorFlowRequest(!rows, rows ? rows(parser, signature) : columns(parser, signature));
                } else if (key.equals("signature_name")) {
                    checkSignature(parser.getValueAsString(""));
                } else {
                    parser.skipChildren();
                }
            }
            if (found == null) {
                throw ServeException.invalid("expected 'instances' (a list of rows) or 'inputs' (tensors by name)");
            }
            return found;
        }
    }

    /** Reads {@code examples}: objects with the features by name. */
    static List<NdArray> examples(byte[] body, ModelSignature signature) throws IOException {
        try (JsonParser parser = object(body)) {
            List<NdArray> found = null;
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "examples" -> found = rows(parser, signature);
                    case "signature_name" -> checkSignature(parser.getValueAsString(""));
                    default -> parser.skipChildren();
                }
            }
            if (found == null) {
                throw ServeException.invalid("expected 'examples', a list of objects with the features by name");
            }
            return found;
        }
    }

    private static JsonParser object(byte[] body) throws IOException {
        JsonParser parser = JsonTensorReader.open(body, 0, body.length);
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            parser.close();
            throw ServeException.invalid("expected a JSON object");
        }
        return parser;
    }

    static void checkSignature(String name) {
        if (!name.isEmpty() && !name.equals(TensorFlowRest.SIGNATURE)) {
            throw ServeException.invalid(
                    "unknown signature_name: the model has '" + TensorFlowRest.SIGNATURE + "' only");
        }
    }

    private static List<NdArray> rows(JsonParser parser, ModelSignature signature) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw ServeException.invalid("'instances' or 'examples': expected a list of rows");
        }
        List<List<JsonTensorReader>> byInput = new ArrayList<>();
        signature.inputs().forEach(input -> byInput.add(new ArrayList<>()));
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == JsonToken.START_OBJECT) {
                named(parser, signature)
                        .forEach((place, value) -> byInput.get(place).add(value));
            } else {
                requireOne(signature);
                byInput.get(0).add(JsonTensorReader.read(parser));
            }
        }
        List<NdArray> arrays = new ArrayList<>();
        for (int i = 0; i < byInput.size(); i++) {
            arrays.add(stacked(byInput.get(i), signature.inputs().get(i)));
        }
        return arrays;
    }

    private static NdArray stacked(List<JsonTensorReader> rows, TensorSpec input) {
        if (rows.isEmpty()) {
            throw ServeException.invalid("input '" + input.name() + "' has no rows");
        }
        NdArray all = null;
        for (int i = 0; i < rows.size(); i++) {
            JsonTensorReader reader = rows.get(i);
            var shape = RowShape.of(input, reader.shape().prepend(1));
            if (shape.dim(0) != 1) {
                throw ServeException.invalid(
                        "row " + i + ": expected shape " + input.shape() + ", received " + reader.shape());
            }
            NdArray row = reader.toArray(input.type(), shape);
            if (rows.size() == 1) {
                return row;
            }
            if (all == null) {
                all = NdArray.zeros(input.type(), shape.with(0, rows.size()));
            }
            if (!all.shape().from(1).equals(shape.from(1))) {
                throw ServeException.invalid("row " + i + " has shape " + shape.from(1) + ", those before "
                        + all.shape().from(1));
            }
            System.arraycopy(row.data(), 0, all.data(), i * row.size(), row.size());
        }
        return all;
    }

    private static List<NdArray> columns(JsonParser parser, ModelSignature signature) throws IOException {
        Map<Integer, JsonTensorReader> found = new LinkedHashMap<>();
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            found.putAll(named(parser, signature));
        } else {
            requireOne(signature);
            found.put(0, JsonTensorReader.read(parser));
        }
        List<NdArray> arrays = new ArrayList<>();
        for (int i = 0; i < signature.inputs().size(); i++) {
            TensorSpec input = signature.inputs().get(i);
            JsonTensorReader reader = found.get(i);
            arrays.add(reader.toArray(input.type(), RowShape.of(input, reader.shape())));
        }
        return arrays;
    }

    private static Map<Integer, JsonTensorReader> named(JsonParser parser, ModelSignature signature)
            throws IOException {
        Map<Integer, JsonTensorReader> found = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            int place = signature.input(parser.currentName());
            parser.nextToken();
            found.put(place, JsonTensorReader.read(parser));
        }
        for (int i = 0; i < signature.inputs().size(); i++) {
            if (!found.containsKey(i)) {
                throw ServeException.invalid(
                        "input '" + signature.inputs().get(i).name() + "' is missing");
            }
        }
        return found;
    }

    private static void requireOne(ModelSignature signature) {
        if (signature.inputs().size() != 1) {
            throw ServeException.invalid(
                    "the model has " + signature.inputs().size() + " inputs: expected objects with the inputs by name");
        }
    }
}
