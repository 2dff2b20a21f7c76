package dev.tutti.serve.protocol;

import dev.tutti.array.NdArray;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelSignature;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.tensor.RowShape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rows of Classify and Regress: a list of tf.Example, each with the numbers of every input under its name. */
final class TensorFlowExamples {
    private static final int FLOATS = 2;
    private static final int WHOLES = 3;

    private TensorFlowExamples() {}

    /** Reads an Input message into the arrays of a model. */
    static List<NdArray> read(ProtoReader message, ModelSignature signature) {
        List<Map<String, double[]>> rows = new ArrayList<>();
        while (message.next()) {
            if (message.field() != 1) {
                throw ServeException.invalid("expected an example_list, received another kind of input");
            }
            ProtoReader list = message.message();
            while (list.next()) {
                if (list.field() == 1) {
                    rows.add(example(list.message()));
                } else {
                    list.skip();
                }
            }
        }
        if (rows.isEmpty()) {
            throw ServeException.invalid("expected one example or more, received none");
        }
        List<NdArray> arrays = new ArrayList<>();
        for (TensorSpec input : signature.inputs()) {
            arrays.add(column(rows, input));
        }
        rows.get(0).keySet().forEach(signature::input); // an unknown name is an error
        return arrays;
    }

    private static NdArray column(List<Map<String, double[]>> rows, TensorSpec input) {
        double[] all = new double[0];
        for (int i = 0; i < rows.size(); i++) {
            double[] numbers = rows.get(i).get(input.name());
            if (numbers == null) {
                throw ServeException.invalid("example " + i + " has no feature '" + input.name() + "': it has "
                        + rows.get(i).keySet());
            }
            if (i == 0) {
                all = new double[rows.size() * numbers.length];
            } else if (numbers.length * rows.size() != all.length) {
                throw ServeException.invalid("example " + i + " has " + numbers.length + " numbers in '" + input.name()
                        + "', the first has " + all.length / rows.size());
            }
            System.arraycopy(numbers, 0, all, i * numbers.length, numbers.length);
        }
        return NdArray.of(
                        all,
                        RowShape.ofFlat(input, rows.size(), all.length / rows.size())
                                .toArray())
                .to(input.type());
    }

    private static Map<String, double[]> example(ProtoReader message) {
        Map<String, double[]> features = new LinkedHashMap<>();
        while (message.next()) {
            if (message.field() != 1) {
                message.skip();
                continue;
            }
            ProtoReader all = message.message();
            while (all.next()) {
                if (all.field() == 1) {
                    feature(all.message(), features);
                } else {
                    all.skip();
                }
            }
        }
        return features;
    }

    private static void feature(ProtoReader entry, Map<String, double[]> features) {
        String name = "";
        double[] numbers = new double[0];
        while (entry.next()) {
            switch (entry.field()) {
                case 1 -> name = entry.text();
                case 2 -> numbers = numbers(entry.message());
                default -> entry.skip();
            }
        }
        features.put(name, numbers);
    }

    private static double[] numbers(ProtoReader feature) {
        List<Double> found = new ArrayList<>();
        while (feature.next()) {
            int kind = feature.field();
            if (kind != FLOATS && kind != WHOLES) {
                throw ServeException.invalid("a feature holds bytes: expected a float_list or an int64_list");
            }
            ProtoReader list = feature.message();
            while (list.next()) {
                if (list.field() != 1) {
                    list.skip();
                } else if (list.kind() != ProtoReader.BYTES) {
                    found.add(list.number(kind == FLOATS));
                } else {
                    packed(list.bytes(), kind, found);
                }
            }
        }
        return found.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static void packed(ByteBuffer bytes, int kind, List<Double> found) {
        if (kind == FLOATS) {
            while (bytes.remaining() >= Float.BYTES) {
                found.add((double) bytes.getFloat());
            }
            return;
        }
        ProtoReader wholes = new ProtoReader(bytes);
        while (wholes.hasMore()) {
            found.add((double) wholes.raw());
        }
    }
}
