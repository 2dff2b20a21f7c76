package dev.tutti.transfer.huggingface;

import dev.tutti.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How one parameter of a model is stored elsewhere: as one or several tensors that lie below each other, as they are or turned.
 *
 * @param name the name of the parameter or buffer here
 * @param stored the names there, in the order of their rows
 * @param turned whether there rows and columns change places
 * @param rows of each of several tensors; empty where all have equally many
 */
record TensorRule(String name, List<String> stored, boolean turned, List<Long> rows) {
    private TensorRule(String name, List<String> stored, boolean turned) {
        this(name, stored, turned, List.of());
    }

    static TensorRule same(String name, String stored) {
        return new TensorRule(name, List.of(stored), false);
    }

    static TensorRule turned(String name, String stored) {
        return new TensorRule(name, List.of(stored), true);
    }

    /** Several tensors that are one here. */
    static TensorRule joined(String name, String... stored) {
        return new TensorRule(name, List.of(stored), false);
    }

    /** Several tensors of different heights that are one here. */
    static TensorRule joined(String name, List<String> stored, List<Long> rows) {
        return new TensorRule(name, stored, false, rows);
    }

    /** What a layer with weight and bias, or a norm, has. */
    static List<TensorRule> weightAndBias(String name, String stored) {
        return List.of(same(name + ".weight", stored + ".weight"), same(name + ".bias", stored + ".bias"));
    }

    static List<TensorRule> turnedWeightAndBias(String name, String stored) {
        return List.of(turned(name + ".weight", stored + ".weight"), same(name + ".bias", stored + ".bias"));
    }

    /** The value here, from what is stored. */
    Tensor read(WeightFiles files) {
        List<Tensor> parts = stored.stream()
                .map(each -> turned ? turn(files.tensor(each)) : files.tensor(each))
                .toList();
        return parts.size() == 1 ? parts.get(0) : Tensor.concat(parts, 0);
    }

    /** What is stored, from the value here. */
    void write(Tensor value, Map<String, Tensor> out) {
        List<Tensor> parts = new ArrayList<>();
        long from = 0;
        for (int i = 0; i < stored.size(); i++) {
            long count = rows.isEmpty() ? value.dim(0) / stored.size() : rows.get(i);
            Tensor part = stored.size() == 1 ? value : value.narrow(0, from, count);
            from += count;
            parts.add(turned ? turn(part) : part.contiguous());
        }
        for (int i = 0; i < parts.size(); i++) {
            out.put(stored.get(i), parts.get(i));
        }
    }

    private static Tensor turn(Tensor matrix) {
        return matrix.transpose(0, 1).contiguous();
    }
}
