package dev.tutti.table;

import dev.tutti.array.DType;
import dev.tutti.array.NamedRange;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.optim.Optimizer;
import dev.tutti.optim.Target;
import dev.tutti.optim.Update;
import dev.tutti.tensor.Device;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.vector.FlatVector;
import dev.tutti.tensor.vector.FusedUpdate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An optimizer at work on the rows of a table. Rows that have gradients move, others do not, also not by weight decay or momentum. What the
 * optimizer remembers is kept with each row; what it counts is counted for the table.
 *
 * <p>Rows are copied into a small vector on which the optimizer's own update works, so a row moves by the same bits in every table, server or
 * push it is in.
 */
public final class TableUpdate implements AutoCloseable {
    private static final int LENGTH = 16384;

    private final RowTable table;
    private final int width;
    private final int rows; // that fit into the small vector
    private final FlatVector vector;
    private final Update update;
    private final float[] copied;
    private final Map<String, Double> counters = new LinkedHashMap<>();

    /** @param parameters names of the model's other parameters, for settings that go by name */
    public TableUpdate(Optimizer optimizer, RowTable table, List<String> parameters) {
        this.table = table;
        width = table.spec().width();
        rows = Math.max(1, LENGTH / width);
        int used = rows * width;
        int length = (used + FusedUpdate.BLOCK - 1) / FusedUpdate.BLOCK * FusedUpdate.BLOCK;
        copied = new float[length];
        vector = new FlatVector(length, DType.FLOAT32, Device.CPU);
        List<NamedRange> names = new ArrayList<>();
        parameters.forEach(name -> names.add(new NamedRange(name, new Range(0, 0))));
        names.add(new NamedRange(table.spec().name(), vector.all()));
        try {
            update = optimizer.bind(Target.all(vector, names));
        } catch (RuntimeException e) {
            vector.close();
            throw e;
        }
        update.state().forEach((name, tensor) -> {
            if (tensor.rank() == 0) {
                counters.put(name, 0.0);
            }
        });
    }

    /** What the optimizer counts, by name. */
    public Map<String, Double> counters() {
        return new LinkedHashMap<>(counters);
    }

    public void counters(Map<String, Double> values) {
        counters.replaceAll((name, before) -> values.getOrDefault(name, before));
    }

    /** Moves rows by their gradients. */
    public void apply(RowGradients.Part gradients, double rate) {
        int[] places = table.change(gradients.ids());
        Map<String, Double> after = new LinkedHashMap<>(counters);
        for (int from = 0; from < places.length; from += rows) {
            int to = Math.min(places.length, from + rows);
            try (Scope scope = Scope.open();
                    NoGradients off = NoGradients.begin()) {
                move(places, from, to, gradients.values(), rate, after);
            }
        }
        if (places.length > 0) {
            counters.putAll(after);
        }
    }

    private void move(int[] places, int from, int to, float[] gradients, double rate, Map<String, Double> after) {
        Arrays.fill(copied, 0);
        System.arraycopy(gradients, from * width, copied, 0, (to - from) * width);
        vector.gradients().write(NdArray.of(copied, copied.length));
        load(null, vector.values(), places, from, to);
        update.state().forEach((name, tensor) -> {
            if (counters.containsKey(name)) {
                tensor.fill_(counters.get(name));
            } else {
                load(name, tensor, places, from, to);
            }
        });
        update.apply(rate);
        table.copyIn(null, places, from, to, vector.values().toArray().floats());
        update.state().forEach((name, tensor) -> {
            if (counters.containsKey(name)) {
                after.put(name, tensor.item());
            } else {
                table.copyIn(name, places, from, to, tensor.toArray().floats());
            }
        });
    }

    private void load(String state, Tensor into, int[] places, int from, int to) {
        table.copyOut(state, places, from, to, copied);
        into.write(NdArray.of(copied, copied.length));
    }

    @Override
    public void close() {
        update.close();
        vector.close();
    }
}
