package dev.tutti.serve.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelSignature;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.tensor.Datatype;
import dev.tutti.serve.tensor.JsonTensorReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An inference request of the Open Inference Protocol, read from JSON with or without binary tensors behind it. */
final class OpenInferenceRequest {
    /** An output the client asks for. */
    record WantedOutput(String name, boolean binary) {}

    /** One input as it was sent; its data is in the JSON or, where {@code binarySize} is 0 or more, behind it. */
    private static final class SentInput {
        private String name = "";
        private Shape shape;
        private String datatype = "";
        private JsonTensorReader data;
        private int binarySize = -1;
        private ByteBuffer raw;
    }

    private Optional<String> id = Optional.empty();
    private boolean binaryOutputs;
    private long timeoutMicros;
    private final List<SentInput> inputs = new ArrayList<>();
    private final List<WantedOutput> outputs = new ArrayList<>();

    private OpenInferenceRequest() {}

    /** @param headerLength bytes of the JSON; what follows are the binary tensors in the order of the inputs */
    static OpenInferenceRequest read(byte[] body, int headerLength) throws IOException {
        OpenInferenceRequest request = new OpenInferenceRequest();
        try (JsonParser parser = JsonTensorReader.open(body, 0, headerLength)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw ServeException.invalid("expected an object with 'inputs'");
            }
            request.read(parser);
            if (parser.nextToken() != null) {
                throw ServeException.invalid("something follows the object of the request");
            }
        }
        request.attach(ByteBuffer.wrap(body, headerLength, body.length - headerLength));
        if (request.inputs.isEmpty()) {
            throw ServeException.invalid("the request has no 'inputs': expected a list of"
                    + " {\"name\", \"shape\", \"datatype\", \"data\"}");
        }
        return request;
    }

    private void read(JsonParser parser) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (key) {
                case "id" -> id = Optional.ofNullable(parser.getValueAsString());
                case "parameters" -> {
                    Map<String, Object> parameters = parameters(parser);
                    binaryOutputs = Boolean.TRUE.equals(parameters.get("binary_data_output"));
                    timeoutMicros = parameters.get("timeout") instanceof Number number ? number.longValue() : 0;
                }
                case "inputs" -> {
                    expect(value, JsonToken.START_ARRAY, "inputs", "a list");
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        inputs.add(input(parser));
                    }
                }
                case "outputs" -> {
                    expect(value, JsonToken.START_ARRAY, "outputs", "a list");
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        outputs.add(output(parser));
                    }
                }
                default -> parser.skipChildren();
            }
        }
    }

    private static void expect(JsonToken value, JsonToken wanted, String key, String words) {
        if (value != wanted) {
            throw ServeException.invalid("'" + key + "': expected " + words);
        }
    }

    private static SentInput input(JsonParser parser) throws IOException {
        expect(parser.currentToken(), JsonToken.START_OBJECT, "inputs", "a list of objects");
        SentInput input = new SentInput();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "name" -> input.name = parser.getValueAsString("");
                case "datatype" -> input.datatype = parser.getValueAsString("");
                case "shape" -> input.shape = shape(parser);
                case "data" -> input.data = JsonTensorReader.read(parser);
                case "parameters" -> {
                    Object size = parameters(parser).get("binary_data_size");
                    input.binarySize = size instanceof Number number ? number.intValue() : -1;
                }
                default -> parser.skipChildren();
            }
        }
        return input;
    }

    private static Shape shape(JsonParser parser) throws IOException {
        expect(parser.currentToken(), JsonToken.START_ARRAY, "shape", "a list of whole numbers");
        List<Long> dims = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(parser.currentToken(), JsonToken.VALUE_NUMBER_INT, "shape", "a list of whole numbers");
            dims.add(parser.getLongValue());
        }
        return checked(dims.stream().mapToLong(Long::longValue).toArray());
    }

    /** A shape from outside: small enough that its size is a number of elements that an array can have. */
    static Shape checked(long... dims) {
        double size = 1;
        for (long dim : dims) {
            if (dim < 0 || dim > Integer.MAX_VALUE) {
                throw ServeException.invalid(
                        "a shape has extents from 0 to " + Integer.MAX_VALUE + ": received " + dim);
            }
            size *= Math.max(1, dim);
        }
        if (size > Integer.MAX_VALUE / 8.0 || dims.length > 16) {
            throw ServeException.invalid("the shape is too large: expected fewer than " + Integer.MAX_VALUE / 8
                    + " elements and at most 16 axes");
        }
        return Shape.of(dims);
    }

    private static WantedOutput output(JsonParser parser) throws IOException {
        expect(parser.currentToken(), JsonToken.START_OBJECT, "outputs", "a list of objects with 'name'");
        String name = "";
        boolean binary = false;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "name" -> name = parser.getValueAsString("");
                case "parameters" ->
                    binary = Boolean.TRUE.equals(parameters(parser).get("binary_data"));
                default -> parser.skipChildren();
            }
        }
        return new WantedOutput(name, binary);
    }

    private static Map<String, Object> parameters(JsonParser parser) throws IOException {
        Map<String, Object> parameters = new LinkedHashMap<>();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw ServeException.invalid("'parameters': expected an object");
        }
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = parser.currentName();
            switch (parser.nextToken()) {
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parameters.put(key, parser.getNumberValue());
                case VALUE_TRUE -> parameters.put(key, true);
                case VALUE_FALSE -> parameters.put(key, false);
                case VALUE_STRING -> parameters.put(key, parser.getText());
                default -> parser.skipChildren();
            }
        }
        return parameters;
    }

    private void attach(ByteBuffer binary) {
        for (SentInput input : inputs) {
            if (input.binarySize < 0) {
                continue;
            }
            if (input.binarySize > binary.remaining()) {
                throw ServeException.invalid("input '" + input.name + "' has binary_data_size " + input.binarySize
                        + ", but " + binary.remaining() + " bytes are left in the body");
            }
            input.raw = binary.slice(binary.position(), input.binarySize);
            binary.position(binary.position() + input.binarySize);
        }
        if (binary.hasRemaining()) {
            throw ServeException.invalid(binary.remaining()
                    + " bytes follow the JSON and belong to no input: expected binary_data_size in its parameters");
        }
    }

    Optional<String> id() {
        return id;
    }

    /** The time the client gives, in microseconds; 0 for none. */
    long timeoutMicros() {
        return timeoutMicros;
    }

    /** The arrays in the order of the model's inputs. */
    List<NdArray> arrays(ModelSignature signature) {
        NdArray[] arrays = new NdArray[signature.inputs().size()];
        for (SentInput input : inputs) {
            int place = signature.input(input.name);
            if (arrays[place] != null) {
                throw ServeException.invalid("input '" + input.name + "' is there twice");
            }
            arrays[place] = array(input, signature.inputs().get(place));
        }
        for (int i = 0; i < arrays.length; i++) {
            if (arrays[i] == null) {
                throw ServeException.invalid(
                        "input '" + signature.inputs().get(i).name() + "' is missing");
            }
        }
        return List.of(arrays);
    }

    private static NdArray array(SentInput input, TensorSpec spec) {
        if (input.shape == null || input.datatype.isEmpty()) {
            throw ServeException.invalid("input '" + input.name + "' has no '"
                    + (input.shape == null ? "shape" : "datatype") + "': expected for instance shape "
                    + spec.shape().prepend(Shape.ANY) + " and datatype " + Datatype.of(spec.type()));
        }
        Datatype datatype = Datatype.named(input.datatype);
        if (input.raw != null) {
            return datatype.read(input.raw, input.shape, spec.type());
        }
        if (input.data == null) {
            throw ServeException.invalid("input '" + input.name + "' has no 'data'");
        }
        return input.data.toArray(spec.type(), input.shape);
    }

    /** The outputs to answer with: those the client asked for, else all. */
    List<WantedOutput> outputs(ModelSignature signature) {
        if (outputs.isEmpty()) {
            return signature.outputs().stream()
                    .map(spec -> new WantedOutput(spec.name(), binaryOutputs))
                    .toList();
        }
        return outputs;
    }
}
