package dev.tutti.source.record;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.DidYouMean;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import dev.tutti.source.record.ExampleReader.Found;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.SharedCache;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * TFRecord files of {@code tf.Example}, plain or packed with gzip; every checksum is verified when they are first opened.
 *
 * <p>Each feature of an example becomes an array of the shape that is given for it, or that the first example has: floats as
 * float32, whole numbers as int64, bytes as uint8.
 */
public final class TfRecordSource implements Source {
    /** Type and shape of a feature. */
    record FeatureShape(DType type, List<Long> shape) {}

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> files = List.of();

    private Map<String, FeatureShape> features = Map.of();
    private String label;

    private transient RecordFrames frames;
    private transient String framesKey;

    private TfRecordSource() {}

    private TfRecordSource(List<String> files, Map<String, FeatureShape> features, String label) {
        this.files = List.copyOf(files);
        this.features = features;
        this.label = label;
    }

    /** Files, folders and patterns. */
    public static TfRecordSource of(String... files) {
        return new TfRecordSource(List.of(files), Map.of(), null);
    }

    /** One more feature to read, in this shape; without any, all of the first example. */
    public TfRecordSource feature(String name, DType type, long... shape) {
        Map<String, FeatureShape> more = new LinkedHashMap<>(features);
        more.put(
                name,
                new FeatureShape(type, java.util.Arrays.stream(shape).boxed().toList()));
        return new TfRecordSource(files, more, label);
    }

    /** The feature to learn. */
    public TfRecordSource label(String name) {
        return new TfRecordSource(files, features, name);
    }

    private synchronized RecordFrames frames() {
        FileSet found = FileSet.of(files, List.of(".tfrecord", ".tfrecords"));
        String key = found.state();
        if (frames == null || !key.equals(framesKey)) {
            frames = SharedCache.get(RecordFrames.class, String.valueOf(files), key, () -> {
                RecordFrames read = new RecordFrames(found.files());
                found.requireUnchanged(key);
                return read;
            });
            framesKey = key;
        }
        return frames;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(frames().size());
    }

    @Override
    public String fingerprint() {
        return frames().fingerprint();
    }

    @Override
    public Rows open() {
        RecordFrames records = frames();
        if (records.size() == 0) {
            throw new DataException("the dataset is empty: " + this + " has no records");
        }
        Map<String, FeatureShape> wanted = features.isEmpty() ? inferred(records) : features;
        if (label != null && !wanted.containsKey(label)) {
            throw new DataException(this + ": there is no feature '" + label + "' for the label"
                    + DidYouMean.hint(label, List.copyOf(wanted.keySet())));
        }
        return new ExampleRows(records, wanted, label);
    }

    private static Map<String, FeatureShape> inferred(RecordFrames records) {
        Map<String, FeatureShape> shapes = new LinkedHashMap<>();
        new java.util.TreeMap<>(examples(records, 0)).forEach((name, found) -> {
            long count = found.kind() == ExampleReader.BYTES
                    ? ExampleReader.bytes(found).remaining()
                    : ExampleReader.count(found);
            DType type = found.kind() == ExampleReader.FLOATS
                    ? DType.FLOAT32
                    : found.kind() == ExampleReader.INTEGERS ? DType.INT64 : DType.UINT8;
            shapes.put(name, new FeatureShape(type, count == 1 && type == DType.INT64 ? List.of() : List.of(count)));
        });
        return shapes;
    }

    private static Map<String, Found> examples(RecordFrames records, long number) {
        try {
            return ExampleReader.all(records.record(number));
        } catch (RuntimeException e) {
            throw new DataException(records.place(number) + ": is no tf.Example: " + e.getMessage(), e);
        }
    }

    /** Rows parsed out of the mapped files when they are asked for. */
    private static final class ExampleRows implements BatchRows {
        private final RecordFrames records;
        private final Map<String, FeatureShape> wanted;
        private final String label;

        ExampleRows(RecordFrames records, Map<String, FeatureShape> wanted, String label) {
            this.records = records;
            this.wanted = wanted;
            this.label = label;
        }

        @Override
        public long size() {
            return records.size();
        }

        @Override
        public Batch rows(long[] numbers) {
            Map<String, NdArray> arrays = new LinkedHashMap<>();
            wanted.forEach((name, shape) -> {
                Shape row = Shape.of(
                        shape.shape().stream().mapToLong(Long::longValue).toArray());
                arrays.put(name, NdArray.zeros(shape.type(), row.prepend(numbers.length)));
            });
            for (int i = 0; i < numbers.length; i++) {
                Map<String, Found> example = examples(records, numbers[i]);
                for (Map.Entry<String, NdArray> entry : arrays.entrySet()) {
                    Found found = example.get(entry.getKey());
                    if (found == null) {
                        throw new DataException(records.place(numbers[i]) + ": has no feature '" + entry.getKey()
                                + "': it has " + String.join(", ", example.keySet()));
                    }
                    copy(found, entry.getValue(), i, numbers.length, entry.getKey(), numbers[i]);
                }
            }
            List<NdArray> features = new ArrayList<>();
            arrays.forEach((name, array) -> {
                if (!name.equals(label)) {
                    features.add(array);
                }
            });
            return new Batch(features, label == null ? List.of() : List.of(arrays.get(label)), numbers.length);
        }

        private void copy(Found found, NdArray out, int row, int rows, String name, long number) {
            int size = out.size() / rows;
            int received;
            String kind;
            if (out.type() == DType.FLOAT32 && found.kind() == ExampleReader.FLOATS) {
                received = ExampleReader.floats(found, out.floats(), row * size, size);
                kind = "floats";
            } else if (out.type() == DType.INT64 && found.kind() == ExampleReader.INTEGERS) {
                received = ExampleReader.integers(found, out.longs(), row * size, size);
                kind = "whole numbers";
            } else if (out.type() == DType.UINT8 && found.kind() == ExampleReader.BYTES) {
                var bytes = ExampleReader.bytes(found);
                received = bytes.remaining();
                bytes.get(out.bytes(), row * size, Math.min(size, received));
                kind = "bytes";
            } else {
                throw new DataException(records.place(number) + ": feature '" + name + "': expected " + out.type()
                        + ", received a list of "
                        + List.of("nothing", "bytes", "floats", "whole numbers").get(found.kind()));
            }
            if (received != size) {
                throw new DataException(records.place(number) + ": feature '" + name + "': expected " + size + " "
                        + kind + ", received " + received);
            }
        }
    }

    @Override
    public String toString() {
        return String.join(", ", files);
    }
}
