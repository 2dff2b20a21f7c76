package dev.tutti.jobs.learn;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Dataset;
import dev.tutti.io.AtomicFile;
import dev.tutti.json.Json;
import dev.tutti.serve.ServeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Examples of a model that takes arrays: records of numbers in two files. */
final class ArrayExamples implements ExampleStore {
    /** The shapes of all examples, fixed by the first ones. */
    private record Shapes(List<long[]> features, long[] label, boolean classes) {
        boolean equalTo(Shapes other) {
            return classes == other.classes
                    && Arrays.equals(label, other.label)
                    && Arrays.deepEquals(features.toArray(), other.features.toArray());
        }
    }

    private final Path folder;
    private final int heldOutEvery;

    ArrayExamples(Path folder, int heldOutEvery) {
        this.folder = folder;
        this.heldOutEvery = heldOutEvery;
    }

    private Optional<Shapes> shapes() {
        Path file = folder.resolve("shapes.json");
        return Files.isRegularFile(file) ? Optional.of(Json.read(file, Shapes.class)) : Optional.empty();
    }

    private static ExampleFile file(Path path, Shapes shapes) {
        return new ExampleFile(
                path,
                shapes.features.stream().map(Shape::of).toList(),
                Shape.of(shapes.label),
                shapes.classes ? DType.INT64 : DType.FLOAT32);
    }

    private Optional<ExampleFile> learned() {
        return shapes().map(shapes -> file(folder.resolve("learned.bin"), shapes));
    }

    private Optional<ExampleFile> heldOut() {
        return shapes().map(shapes -> file(folder.resolve("held-out.bin"), shapes));
    }

    @Override
    public long count() {
        return learned().map(ExampleFile::count).orElse(0L);
    }

    @Override
    public long heldOutCount() {
        return heldOut().map(ExampleFile::count).orElse(0L);
    }

    /** Keeps examples; every so manieth is held out. They are on disk when this returns. */
    void add(List<NdArray> rows, NdArray labels) {
        Shapes shapes = new Shapes(
                rows.stream().map(array -> array.shape().from(1).toArray()).toList(),
                labels.shape().from(1).toArray(),
                labels.type() == DType.INT64);
        Optional<Shapes> known = shapes();
        if (known.isPresent() && !known.get().equalTo(shapes)) {
            throw ServeException.invalid(
                    "the examples have other shapes than those before: all examples of a model have the same");
        }
        if (known.isEmpty()) {
            AtomicFile.write(folder.resolve("shapes.json"), Json.write(shapes) + "\n");
        }
        ExampleFile learned = file(folder.resolve("learned.bin"), shapes);
        ExampleFile heldOut = file(folder.resolve("held-out.bin"), shapes);
        long seen = learned.count() + heldOut.count();
        List<Integer> toLearn = new ArrayList<>();
        List<Integer> toHold = new ArrayList<>();
        for (int row = 0; row < labels.shape().dim(0); row++) {
            ((seen + row) % heldOutEvery == heldOutEvery - 1 ? toHold : toLearn).add(row);
        }
        heldOut.append(rows, labels, toHold);
        learned.append(rows, labels, toLearn);
    }

    @Override
    public ObjectNode source(long from, long to, Path round) {
        List<NdArray> arrays = learned().orElseThrow().read(from, to);
        ObjectNode source = Json.json().createObjectNode();
        source.put("type", "numpy");
        ArrayNode features = source.putArray("features");
        for (int i = 0; i < arrays.size() - 1; i++) {
            Path file = round.resolve("x" + i + ".npy").toAbsolutePath();
            NumpyWriter.write(file, arrays.get(i));
            features.add(file.toString());
        }
        Path labels = round.resolve("y.npy").toAbsolutePath();
        NumpyWriter.write(labels, arrays.get(arrays.size() - 1));
        source.put("labels", labels.toString());
        return source;
    }

    @Override
    public Dataset heldOut(long from, int most) {
        ExampleFile file = heldOut().orElseThrow();
        long to = file.count();
        List<NdArray> arrays = file.read(Math.max(from, to - most), to);
        return Dataset.of(arrays.subList(0, arrays.size() - 1), arrays.subList(arrays.size() - 1, arrays.size()));
    }
}
