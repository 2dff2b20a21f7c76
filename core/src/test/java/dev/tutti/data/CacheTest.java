package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.stage.CacheStore;
import dev.tutti.data.stage.Row;
import dev.tutti.data.transform.RandomTransform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CacheTest {
    private final AtomicInteger made = new AtomicInteger();

    private Dataset counted(int rows) {
        return Numbered.arrays(rows).map(sample -> {
            made.incrementAndGet();
            return sample;
        });
    }

    @Test
    void rowIsMadeOnceWhateverTheOrder() {
        Dataset dataset = counted(50).cache().shuffle(7).batch(8);
        try (BatchReader reader = dataset.open(0)) {
            reader.next();
            reader.next();
        }
        assertThat(made).hasValue(16);
        for (int epoch = 0; epoch < 3; epoch++) {
            assertThat(Numbered.epoch(dataset, epoch))
                    .isEqualTo(Numbered.epoch(Numbered.arrays(50).shuffle(7).batch(8), epoch));
        }
        assertThat(made).hasValue(50);
    }

    @Test
    void datasetsMadeFromItShareIt() {
        Dataset cached = counted(30).cache();
        Numbered.epoch(cached.shuffle(1), 0);
        Numbered.epoch(cached.shuffle(2).take(9), 5);
        Numbered.epoch(cached.cache(), 0);
        assertThat(made).hasValue(30);
    }

    @Test
    void keepsWhatEveryEpochHasInCommon() {
        RandomTransform noise =
                (sample, random) -> Sample.of(NdArray.of(new float[] {random.nextFloat()}, 1), sample.label());
        Dataset dataset = counted(30).shuffle(7).map(3, noise).cache();

        assertThat(Numbered.epoch(dataset, 0)).doesNotContainAnyElementsOf(Numbered.epoch(dataset, 1));
        assertThat(made).hasValue(30);
        assertThat(dataset.toString()).contains("map(lambda).cache().shuffle(7)");
    }

    @Test
    void flowIsReadOnceAndThenCounted() {
        Dataset dataset =
                counted(30).filter(sample -> sample.label().longAt(0) < 20).cache();
        try (BatchReader reader = dataset.open(0)) {
            reader.next();
        }
        assertThat(made).hasValue(30);
        assertThat(dataset.shuffle(3).chunks(0, 5)).hasSize(4);
        assertThat(Numbered.ids(dataset.shuffle(3), 1)).hasSize(20).doesNotHaveDuplicates();
        assertThat(made).hasValue(30);
    }

    @Test
    void fillThatFailedHalfWayBeginsAgain() {
        AtomicInteger failures = new AtomicInteger(1);
        Dataset dataset = Numbered.arrays(30)
                .map(sample -> {
                    if (sample.label().longAt(0) == 15 && failures.getAndDecrement() > 0) {
                        throw new IllegalStateException("once");
                    }
                    return sample;
                })
                .filter(sample -> sample.label().longAt(0) % 3 == 0)
                .cache();
        assertThatThrownBy(() -> dataset.open(0)).hasMessageContaining("once");
        assertThat(Numbered.ids(dataset, 0)).containsExactly(0L, 3L, 6L, 9L, 12L, 15L, 18L, 21L, 24L, 27L);
    }

    @Test
    void everyTypeSurvivesTheFile() {
        List<NdArray> features = List.of(
                NdArray.of(new float[] {1.5f, Float.NaN}, 2, 1),
                NdArray.of(new double[] {1e300, -2}, 2),
                NdArray.of(new long[] {Long.MIN_VALUE, 3, 4, 5}, 2, 2),
                NdArray.of(new int[] {-7, 8}, 2),
                NdArray.of(new byte[] {(byte) 200, 1}, 2),
                NdArray.of(new boolean[] {true, false}, 2));
        Dataset dataset = Dataset.of(features, List.of());
        Dataset cached = dataset.cache(0);
        Numbered.epoch(cached, 0);
        assertThat(Numbered.epoch(cached, 1)).isEqualTo(Numbered.epoch(dataset, 1));
    }

    @Test
    void fileLeavesNothingBehind() throws IOException {
        Dataset cached = Numbered.arrays(50).cache(0);
        List<Path> before = cacheFiles();
        try (BatchReader reader = cached.open(0)) {
            reader.next();
            assertThat(cacheFiles()).isEqualTo(before);
        }
        assertThat(Numbered.ids(cached, 0)).hasSize(50);
    }

    private static List<Path> cacheFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("tutti-cache-"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void fileThatCannotBeWrittenIsNamed() {
        CacheStore store = new CacheStore(10, Path.of("/nowhere"));
        Row row = new Row(0, 0, Sample.of(NdArray.of(new float[8], 8)));
        assertThatThrownBy(() -> store.put(0, row))
                .isInstanceOf(DataException.class)
                .hasMessageContainingAll(
                        "outgrew its 10 bytes of memory", "file in /nowhere cannot be written", "free some space");
        assertThat(store.get(0)).isNull();
    }

    @Test
    void manyThreadsFillAndReadTogether() throws Exception {
        Dataset cached = Numbered.arrays(500).cache(100 * 280).batch(16);
        List<Callable<List<Long>>> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Dataset own = cached.shuffle(i).prefetch(i % 3);
            readers.add(() -> Numbered.ids(own, 0));
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<List<Long>> rows : threads.invokeAll(readers)) {
                assertThat(rows.get()).hasSize(500).doesNotHaveDuplicates();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void closingAReaderAheadDoesNotHarmTheFile() {
        Dataset cached = Numbered.arrays(200).cache(0).batch(4);
        List<Batch> expected = Numbered.epoch(cached, 0);
        for (int i = 0; i < 50; i++) {
            try (BatchReader reader = cached.prefetch(4).open(0)) {
                assertThat(reader.next()).contains(expected.get(0));
            }
        }
        assertThat(Numbered.epoch(cached, 0)).isEqualTo(expected);
    }
}
