package dev.tutti.federated.wire;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.federated.SharedParameters;
import dev.tutti.io.Safetensors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The model of a round as bytes: a safetensors file with the named arrays, and the server's control variate beside them. */
public final class ModelCodec {
    static final String CONTROL = "control/";

    /**
     * What a round begins with.
     *
     * @param control the server's control variate, where the aggregation has one
     */
    public record RoundModel(int round, float[] values, Optional<float[]> control) {}

    private final SharedParameters shared;

    public ModelCodec(SharedParameters shared) {
        this.shared = shared;
    }

    public byte[] encode(RoundModel model) {
        Map<String, NdArray> arrays = new LinkedHashMap<>(shared.arrays(model.values));
        model.control.ifPresent(
                control -> shared.arrays(control).forEach((name, array) -> arrays.put(CONTROL + name, array)));
        return bytes(new Safetensors(arrays, Map.of("round", Integer.toString(model.round))));
    }

    /** @throws TuttiException if the bytes are no model of this job */
    public RoundModel decode(byte[] bytes, String from) {
        Safetensors file = Safetensors.read(bytes, from);
        Map<String, NdArray> values = new LinkedHashMap<>();
        Map<String, NdArray> control = new LinkedHashMap<>();
        split(file.tensors(), values, control);
        return new RoundModel(
                number(file, "round", from),
                shared.vector(values, from),
                control.isEmpty() ? Optional.empty() : Optional.of(shared.vector(control, from)));
    }

    static void split(Map<String, NdArray> all, Map<String, NdArray> values, Map<String, NdArray> control) {
        all.forEach((name, array) -> {
            if (name.startsWith(CONTROL)) {
                control.put(name.substring(CONTROL.length()), array);
            } else {
                values.put(name, array);
            }
        });
    }

    static int number(Safetensors file, String key, String from) {
        try {
            return Integer.parseInt(file.metadata().getOrDefault(key, ""));
        } catch (NumberFormatException e) {
            throw new TuttiException(
                    from + ": expected a whole number as '" + key + "', received '"
                            + file.metadata().get(key) + "'",
                    e);
        }
    }

    static byte[] bytes(Safetensors file) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            file.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
