package dev.tutti.federated.wire;

import dev.tutti.TuttiException;
import dev.tutti.array.NdArray;
import dev.tutti.federated.ClientState;
import dev.tutti.federated.ClientUpdate;
import dev.tutti.federated.SharedParameters;
import dev.tutti.io.Safetensors;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Updates as bytes: a safetensors file whose notes are the numbers beside the vector. */
public final class UpdateCodec {
    private static final int HEADER = 1 << 20;

    private final SharedParameters shared;
    private final UpdateEncoding encoding;

    public UpdateCodec(SharedParameters shared, UpdateEncoding encoding) {
        this.shared = shared;
        this.encoding = encoding;
    }

    /** The longest update, in bytes; anything longer is refused unread. Masked updates have 8 bytes for each value. */
    public long longest() {
        return HEADER + 2L * Long.BYTES * (shared.size() + 1L);
    }

    /** @param state remembers what a lossy encoding leaves out, for the next update */
    public byte[] encode(ClientUpdate update, ClientState state) {
        Map<String, NdArray> arrays = new LinkedHashMap<>(
                encoding == UpdateEncoding.FLOAT32
                        ? shared.arrays(update.delta())
                        : VectorEncoder.of(encoding).encode(update.delta(), state));
        update.control()
                .ifPresent(control ->
                        shared.arrays(control).forEach((name, array) -> arrays.put(ModelCodec.CONTROL + name, array)));
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put("round", Integer.toString(update.round()));
        notes.put("samples", Long.toString(update.samples()));
        notes.put("steps", Long.toString(update.steps()));
        notes.put("loss", Double.toString(update.loss()));
        notes.put("lossBefore", Double.toString(update.lossBefore()));
        return ModelCodec.bytes(new Safetensors(arrays, notes));
    }

    /** @throws TuttiException if the bytes are no update of this model */
    public ClientUpdate decode(byte[] bytes, String client) {
        String from = "the update of " + client;
        Safetensors file = Safetensors.read(bytes, from);
        Map<String, NdArray> values = new LinkedHashMap<>();
        Map<String, NdArray> control = new LinkedHashMap<>();
        ModelCodec.split(file.tensors(), values, control);
        float[] delta = encoding == UpdateEncoding.FLOAT32
                ? shared.vector(values, from)
                : VectorEncoder.of(encoding).decode(values, shared.size(), from);
        return new ClientUpdate(
                client,
                ModelCodec.number(file, "round", from),
                ModelCodec.number(file, "samples", from),
                delta,
                control.isEmpty() ? Optional.empty() : Optional.of(shared.vector(control, from)),
                ModelCodec.number(file, "steps", from),
                real(file, "loss", from),
                real(file, "lossBefore", from));
    }

    private static double real(Safetensors file, String key, String from) {
        String text = file.metadata().getOrDefault(key, "NaN");
        try {
            return text.equalsIgnoreCase("nan") ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new TuttiException(from + ": expected a number as '" + key + "', received '" + text + "'", e);
        }
    }
}
