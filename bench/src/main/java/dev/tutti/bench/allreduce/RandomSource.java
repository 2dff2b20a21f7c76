package dev.tutti.bench.allreduce;

import dev.tutti.array.NdArray;
import dev.tutti.bench.engine.EngineModel;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Random rows in memory, the same in every JVM, taken in turn for longer than any measurement: an epoch that does not end.
 *
 * <p>A definition, so that workers in other JVMs can be told of it.
 */
public final class RandomSource implements Source {
    private static final long ENDLESS = 1L << 40;
    private static final int ROWS = 2048;
    private static final Map<List<Long>, List<Sample>> MADE = new ConcurrentHashMap<>();

    static {
        Json.register(RandomSource.class, "benchRandom"); // once a benchmark uses it: no name for users of job files
    }

    private List<Long> shape = List.of();
    private long rows = ENDLESS;

    @SuppressWarnings("unused") // read from what another JVM was told
    private RandomSource() {}

    /** Rows of a shape, labelled with classes. */
    RandomSource(long... shape) {
        this.shape = java.util.Arrays.stream(shape).boxed().toList();
    }

    /** So many rows of a shape. */
    public static RandomSource rows(long count, long... shape) {
        RandomSource source = new RandomSource(shape);
        source.rows = count;
        return source;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.of(rows);
    }

    /** The rows are made once: feeds of leased chunks open their source for every chunk. */
    @Override
    public Rows open() {
        long size = rows;
        List<Sample> samples = MADE.computeIfAbsent(shape, RandomSource::make);
        return new RandomRows() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public Sample row(long number) {
                return samples.get((int) (number % ROWS));
            }
        };
    }

    private static List<Sample> make(List<Long> shape) {
        long[] dims = shape.stream().mapToLong(Long::longValue).toArray();
        int length = Math.toIntExact(java.util.Arrays.stream(dims).reduce(1, Math::multiplyExact));
        Random random = new Random(7);
        List<Sample> samples = new ArrayList<>(ROWS);
        for (int i = 0; i < ROWS; i++) {
            float[] values = new float[length];
            for (int j = 0; j < length; j++) {
                values[j] = (float) random.nextGaussian();
            }
            long[] label = {random.nextInt(EngineModel.CLASSES)};
            samples.add(Sample.of(NdArray.of(values, dims), NdArray.of(label)));
        }
        return samples;
    }

    @Override
    public String toString() {
        return "random(" + shape + ")";
    }
}
