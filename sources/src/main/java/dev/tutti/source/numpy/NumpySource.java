package dev.tutti.source.numpy;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import dev.tutti.source.table.FileSet;
import dev.tutti.source.table.SharedCache;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Arrays in NumPy's files: {@code x.npy}, or {@code data.npz:x} for one of several. Their first axis are the rows. */
public final class NumpySource implements Source {
    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> features = List.of();

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> labels = List.of();

    private NumpySource() {}

    private NumpySource(List<String> features, List<String> labels) {
        this.features = List.copyOf(features);
        this.labels = List.copyOf(labels);
    }

    /** Arrays for the features. */
    public static NumpySource of(String... features) {
        return new NumpySource(List.of(features), List.of());
    }

    /** Arrays for the labels. */
    public NumpySource labels(String... places) {
        return new NumpySource(features, List.of(places));
    }

    /** All arrays, features first. */
    private record Opened(List<NumpyArray> arrays, String fingerprint) {}

    private Opened opened() {
        if (features.isEmpty()) {
            throw new DataException("a numpy source needs 'features', such as x.npy or data.npz:x");
        }
        List<String> places = Stream.concat(features.stream(), labels.stream()).toList();
        FileSet files = FileSet.of(
                places.stream()
                        .map(place -> place.replaceFirst("(?<=\\.npz):.*$", ""))
                        .distinct()
                        .toList(),
                List.of(".npy"));
        String state = files.state();
        return SharedCache.get(Opened.class, String.valueOf(places), state, () -> {
            List<NumpyArray> arrays = places.stream().map(NumpyArray::open).toList();
            for (int i = 1; i < arrays.size(); i++) {
                if (arrays.get(i).rows() != arrays.get(0).rows()) {
                    throw new DataException(
                            places.get(0) + " has " + arrays.get(0).rows() + " rows, " + places.get(i) + " has "
                                    + arrays.get(i).rows() + ": expected as many");
                }
            }
            return new Opened(arrays, fingerprint(arrays));
        });
    }

    /** Rows, and a checksum of up to 4,096 of them spread over the arrays. */
    private static String fingerprint(List<NumpyArray> arrays) {
        long rows = arrays.get(0).rows();
        CRC32C checksum = new CRC32C();
        long step = Math.max(1, rows / 4096);
        for (NumpyArray array : arrays) {
            for (long row = 0; row < rows; row += step) {
                NdArray values = array.rows(new long[] {row});
                for (int i = 0; i < values.size(); i++) {
                    long bits = Double.doubleToLongBits(values.at(i));
                    for (int shift = 0; shift < 64; shift += 8) {
                        checksum.update((int) (bits >>> shift));
                    }
                }
            }
        }
        return String.format(
                java.util.Locale.ROOT,
                "%,d rows of %d arrays (checksum %08x)",
                rows,
                arrays.size(),
                checksum.getValue());
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(opened().arrays().get(0).rows());
    }

    @Override
    public String fingerprint() {
        return opened().fingerprint();
    }

    @Override
    public Rows open() {
        List<NumpyArray> arrays = opened().arrays();
        int inputs = features.size();
        return new BatchRows() {
            @Override
            public long size() {
                return arrays.get(0).rows();
            }

            @Override
            public Batch rows(long[] numbers) {
                List<NdArray> values = new ArrayList<>();
                arrays.forEach(array -> values.add(array.rows(numbers)));
                return new Batch(values.subList(0, inputs), values.subList(inputs, values.size()), numbers.length);
            }
        };
    }

    @Override
    public String toString() {
        return String.join(", ", features);
    }
}
