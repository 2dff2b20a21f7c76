package dev.tutti.train.transfer;

import dev.tutti.TuttiException;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Range;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.nn.Model;
import dev.tutti.nn.ModelPlan;
import dev.tutti.nn.Slice;
import dev.tutti.tensor.NoGradients;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The outputs of the first layers of a sequential model, which do not learn: computed once and kept on disk, so that every epoch begins
 * behind them. Frozen layers give the same outputs in every epoch, since frozen batch norm stands still; dropout among them is left out.
 */
public final class TrunkCache {
    private static final int ROWS_AT_ONCE = 256;

    private final Model whole;
    private final Path folder;
    private final ModelPlan trunk;
    private final ModelPlan head;

    /**
     * @param model whose first layers are frozen
     * @param folder where the outputs are kept
     * @throws TuttiException if the model is no sequential one, its first layer learns, or all of it is frozen
     */
    public TrunkCache(Model model, Path folder) {
        this.whole = model;
        this.folder = folder;
        List<String> layers = model.plan().layers();
        int first = firstLearning(model, layers);
        if (first == 0 || first == layers.size()) {
            throw new TuttiException(
                    "cacheTrunk: expected a model whose first layers are frozen and whose last ones" + " learn, but "
                            + (first == 0 ? "the first layer, " + layers.get(0) + ", learns" : "nothing learns"));
        }
        trunk = model.plan().part(Range.between(0, first));
        head = model.plan().part(Range.between(first, layers.size()));
    }

    /** Layers without parameters belong to the trunk while all before them do. */
    private static int firstLearning(Model model, List<String> layers) {
        Set<String> frozen = model.frozen();
        int first = 0;
        while (first < layers.size() && !learns(model, layers.get(first), frozen)) {
            first++;
        }
        return first;
    }

    private static boolean learns(Model model, String layer, Set<String> frozen) {
        return model.parameters().stream()
                .anyMatch(p -> p.name().startsWith(layer + ".") && !frozen.contains(p.name()));
    }

    /** What is behind the trunk, with the values of the whole model; the caller closes it. */
    public Model head() {
        Model model = head.build();
        copy(whole, model);
        model.freezeOnly(new TreeSet<>(whole.frozen().stream()
                .filter(name ->
                        model.parameters().stream().anyMatch(p -> p.name().equals(name)))
                .toList()));
        return model;
    }

    /** Writes what the head has learned into the whole model. */
    public void takeBack(Model learned) {
        copy(learned, whole);
    }

    private static void copy(Model from, Model to) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            Map<String, Tensor> values = new HashMap<>();
            from.held().forEach((slice, tensor) -> values.put(slice.parameter(), tensor));
            for (Map.Entry<Slice, Tensor> each : to.held().entrySet()) {
                Tensor value = values.get(each.getKey().parameter());
                if (value != null) {
                    each.getValue().copy_(value);
                }
            }
        }
    }

    /**
     * The trunk's outputs for all rows of some data, with their labels, in files that every process of the machine can read.
     *
     * @param name what the files are called
     * @param interrupted asked after each batch; true ends it, and nothing is written
     * @return empty if it was interrupted
     */
    public Optional<Dataset> outputs(String name, Dataset data, BooleanSupplier interrupted) {
        Path features = folder.resolve(name + "-outputs.idx");
        Path labels = folder.resolve(name + "-labels.idx");
        List<NdArray> outputs = new ArrayList<>();
        List<NdArray> targets = new ArrayList<>();
        try (Model model = trunk.forInference().build()) {
            copy(whole, model);
            try (BatchReader reader = data.batch(ROWS_AT_ONCE).open(0)) {
                for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                    outputs.add(predict(model, batch.get()));
                    targets.add(batch.get().label());
                    if (interrupted.getAsBoolean()) {
                        return Optional.empty();
                    }
                }
            }
        }
        write(features, outputs);
        write(labels, targets);
        return Optional.of(Dataset.idx(features, labels));
    }

    private static NdArray predict(Model model, Batch batch) {
        try (Scope scope = Scope.open();
                NoGradients off = NoGradients.begin()) {
            List<Tensor> inputs = batch.features().stream()
                    .map(array -> Tensor.of(array, model.options().device()))
                    .toList();
            return model.forward(inputs).get(0).toArray();
        }
    }

    /** The IDX format, as MNIST has it: whole numbers as 32 bits, others as floats. */
    private static void write(Path file, List<NdArray> parts) {
        DType type = parts.get(0).type();
        boolean whole = type == DType.INT64 || type == DType.INT32 || type == DType.UINT8;
        long rows = parts.stream().mapToLong(part -> part.shape().dim(0)).sum();
        AtomicFile.write(file, out -> writeIdx(out, parts, whole, rows));
    }

    private static void writeIdx(OutputStream stream, List<NdArray> parts, boolean whole, long rows)
            throws IOException {
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(stream, 1 << 16));
        int rank = parts.get(0).shape().rank();
        out.writeShort(0);
        out.writeByte(whole ? 0x0C : 0x0D);
        out.writeByte(rank);
        out.writeInt(Math.toIntExact(rows));
        for (int axis = 1; axis < rank; axis++) {
            out.writeInt(Math.toIntExact(parts.get(0).shape().dim(axis)));
        }
        for (NdArray part : parts) {
            for (int i = 0; i < part.size(); i++) {
                if (whole) {
                    out.writeInt(Math.toIntExact(part.longAt(i)));
                } else {
                    out.writeFloat((float) part.at(i));
                }
            }
        }
        out.flush();
    }
}
