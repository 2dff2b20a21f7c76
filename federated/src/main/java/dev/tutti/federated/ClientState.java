package dev.tutti.federated;

import dev.tutti.array.NdArray;
import dev.tutti.io.Safetensors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What a client remembers from round to round and never sends: its personal parameters, control variate, unsent updates. */
public final class ClientState {
    /** Parameters that stay at the client. */
    public static final String PERSONAL = "personal";

    /** SCAFFOLD's control variate of the client. */
    public static final String CONTROL = "control";

    /** What compression left out of earlier updates. */
    public static final String UNSENT = "unsent";

    private final Map<String, float[]> vectors = new LinkedHashMap<>();

    public Optional<float[]> get(String name) {
        return Optional.ofNullable(vectors.get(name));
    }

    public void put(String name, float[] vector) {
        vectors.put(name, vector);
    }

    public boolean isEmpty() {
        return vectors.isEmpty();
    }

    /** Writes a file, whole or not at all. */
    public void write(Path file) {
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        vectors.forEach((name, vector) -> arrays.put(name, NdArray.of(vector, vector.length)));
        Safetensors.of(arrays).writeWithChecksum(file);
    }

    /** Reads a file; a state without memories where there is none. */
    public static ClientState read(Path file) {
        ClientState state = new ClientState();
        if (Files.exists(file)) {
            Safetensors.readVerified(file).tensors().forEach((name, array) -> state.put(name, array.floats()));
        }
        return state;
    }
}
