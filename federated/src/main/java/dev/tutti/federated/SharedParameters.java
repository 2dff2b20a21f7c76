package dev.tutti.federated;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.nn.Model;
import dev.tutti.nn.Parameter;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of a model that travels between server and clients, as one vector: parameters that learn, then running statistics, each in
 * the order of its shape. Frozen parameters and those that stay at the client are not in it.
 */
public final class SharedParameters {
    /**
     * One named array within the vector.
     *
     * @param from its first place in the vector
     * @param learned whether it is a parameter, otherwise a running statistic
     */
    public record Entry(String name, Shape shape, int from, boolean learned) {
        public int length() {
            return Math.toIntExact(shape.size());
        }
    }

    private final List<Entry> entries;
    private final Map<String, Parameter> places;
    private final int size;

    private SharedParameters(List<Entry> entries, Map<String, Parameter> places, int size) {
        this.entries = List.copyOf(entries);
        this.places = places;
        this.size = size;
    }

    /**
     * All of a model but what is frozen or matches a pattern.
     *
     * @param personal what stays at the client: full names, beginnings of them, or one part of a dotted name with or without its number,
     *     such as {@code dense3}, {@code batchNorm} or {@code bias}
     */
    public static SharedParameters of(Model model, List<String> personal) {
        requirePatterns(model, personal);
        return select(model, name -> personal.stream().noneMatch(pattern -> matches(name, pattern)));
    }

    /** What stays at the client: the rest of the model, but for what is frozen. */
    public static SharedParameters personal(Model model, List<String> personal) {
        return select(model, name -> personal.stream().anyMatch(pattern -> matches(name, pattern)));
    }

    private static SharedParameters select(Model model, java.util.function.Predicate<String> wanted) {
        if (model.options().type() != DType.FLOAT32) {
            throw new TuttiException("federated models compute in float32: received a model of "
                    + model.options().type());
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, Parameter> places = new LinkedHashMap<>();
        int from = 0;
        for (boolean learned : new boolean[] {true, false}) {
            for (Parameter p : learned ? model.parameters() : model.buffers()) {
                if (wanted.test(p.name()) && !(learned && model.isFrozen(p))) {
                    entries.add(new Entry(p.name(), p.shape(), from, learned));
                    places.put(p.name(), p);
                    from = Math.addExact(from, Math.toIntExact(p.shape().size()));
                }
            }
        }
        return new SharedParameters(entries, places, from);
    }

    private static void requirePatterns(Model model, List<String> patterns) {
        for (String pattern : patterns) {
            boolean found = model.parameters().stream().anyMatch(p -> matches(p.name(), pattern))
                    || model.buffers().stream().anyMatch(b -> matches(b.name(), pattern));
            if (!found) {
                throw new TuttiException("personal: no parameter matches '" + pattern + "'; the model has "
                        + String.join(
                                ", ",
                                model.parameters().stream().map(Parameter::name).toList()));
            }
        }
    }

    private static boolean matches(String name, String pattern) {
        if (name.equals(pattern) || name.startsWith(pattern + ".")) {
            return true;
        }
        for (String part : name.split("\\.")) {
            if (part.equals(pattern) || part.replaceFirst("\\d+$", "").equals(pattern)) {
                return true;
            }
        }
        return false;
    }

    /** The named arrays, in the order of the vector. */
    public List<Entry> entries() {
        return entries;
    }

    /** Elements of the vector. */
    public int size() {
        return size;
    }

    /** A copy of the values of a model. */
    public float[] read(Model model) {
        float[] values = new float[size];
        try (Scope scope = Scope.open()) {
            for (Entry entry : entries) {
                float[] part = view(model, entry).toArray().floats();
                System.arraycopy(part, 0, values, entry.from, part.length);
            }
        }
        return values;
    }

    /** Overwrites the values of a model. */
    public void write(float[] values, Model model) {
        requireSize(values.length);
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            for (Entry entry : entries) {
                view(model, entry).write(array(values, entry));
            }
        }
    }

    private Tensor view(Model model, Entry entry) {
        Parameter place = places.get(entry.name);
        FlatVector vector = entry.learned ? model.vector() : model.state();
        return vector.view(place.range(), place.shape(), place.layout());
    }

    private static NdArray array(float[] values, Entry entry) {
        float[] part = new float[entry.length()];
        System.arraycopy(values, entry.from, part, 0, part.length);
        return NdArray.wrap(DType.FLOAT32, entry.shape, part);
    }

    /** The vector as named arrays. */
    public Map<String, NdArray> arrays(float[] values) {
        requireSize(values.length);
        Map<String, NdArray> arrays = new LinkedHashMap<>();
        entries.forEach(entry -> arrays.put(entry.name, array(values, entry)));
        return arrays;
    }

    /**
     * Named arrays as the vector.
     *
     * @param from stands for the sender in messages
     * @throws TuttiException if a name is missing or unknown, or a shape or type differs
     */
    public float[] vector(Map<String, NdArray> arrays, String from) {
        float[] values = new float[size];
        for (Entry entry : entries) {
            NdArray array = arrays.get(entry.name);
            if (array == null || array.type() != DType.FLOAT32 || !array.shape().equals(entry.shape)) {
                throw new TuttiException(from + ": expected " + entry.name + " as float32" + entry.shape + ", received "
                        + (array == null ? "no such array" : array.toString()));
            }
            System.arraycopy(array.floats(), 0, values, entry.from, entry.length());
        }
        if (arrays.size() != entries.size()) {
            throw new TuttiException(from + ": expected the " + entries.size() + " arrays of the model, received "
                    + arrays.size() + ": " + String.join(", ", arrays.keySet()));
        }
        return values;
    }

    private void requireSize(int length) {
        if (length != size) {
            throw new TuttiException("expected a vector of " + size + " values, received " + length);
        }
    }
}
