package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.NdArray;
import dev.tutti.data.source.MnistSource;
import dev.tutti.data.source.TestingSequentialSource;
import dev.tutti.data.transform.Normalize;
import dev.tutti.data.transform.Transform;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong with data and what the user is told. */
class DataErrorsTest {
    @TempDir
    Path folder;

    private static void fails(ThrowingCallable action, String... parts) {
        assertThatThrownBy(action).isInstanceOf(DataException.class).hasMessageContainingAll(parts);
    }

    private Path file(String name, byte[] bytes) {
        return Numbered.write(folder.resolve(name), bytes);
    }

    private Path labels(int rows) {
        return file("labels", Numbered.idx(8, new byte[rows], rows));
    }

    private static List<Batch> read(Path images, Path labels) {
        return Numbered.epoch(Dataset.idx(images, labels), 0);
    }

    @Test
    void missingFile() {
        Path missing = folder.resolve("nowhere");
        Dataset dataset = Dataset.idx(missing, labels(2));
        fails(() -> dataset.open(0), "there is no file " + missing);
        fails(dataset::size, "there is no file " + missing);
    }

    @Test
    void notAnIdxFile() {
        Path image = file("image.png", new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10});
        fails(() -> read(image, labels(2)), "image.png is not an IDX file: it begins with the bytes 89 50 4e 47");
        Path empty = file("empty", new byte[0]);
        fails(() -> read(empty, labels(2)), "empty is not an IDX file");
    }

    @Test
    void unsupportedElementType() {
        Path shorts = file("shorts", Numbered.idx(0x0B, new byte[4], 2));
        fails(() -> read(shorts, labels(2)), "shorts: the IDX element type 0x0b is not supported");
    }

    @Test
    void truncatedIdx() {
        byte[] whole = Numbered.idx(8, new byte[12], 2, 2, 3);
        Path cut = file("cut", Arrays.copyOf(whole, whole.length - 5));
        fails(
                () -> read(cut, labels(2)),
                "cut is cut short: its header says uint8[2, 2, 3], 12 bytes, but 7 are there");
        Path header = file("header", Arrays.copyOf(whole, 9));
        fails(() -> read(header, labels(2)), "header is cut short: expected a header of 16 bytes, found 9");
        Path longer = file("longer", Arrays.copyOf(whole, whole.length + 1));
        fails(() -> read(longer, labels(2)), "longer is too long: its header says uint8[2, 2, 3], 12 bytes");
    }

    @Test
    void tooLargeIdx() {
        Path huge = file("huge", Numbered.idx(8, new byte[4], 2, Integer.MAX_VALUE, Integer.MAX_VALUE));
        fails(() -> read(huge, labels(2)), "huge is too large", "read up to 2 GB");
    }

    @Test
    void truncatedAndDamagedGzip() {
        byte[] pixels = new byte[6000];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) RowRandom.mix(i);
        }
        byte[] packed = Numbered.gzip(Numbered.idx(8, pixels, 2, 50, 60));
        Path cut = file("cut.gz", Arrays.copyOf(packed, packed.length / 2));
        fails(() -> read(cut, labels(2)), "cut.gz is cut short: its gzip data ends too early");

        byte[] broken = packed.clone();
        broken[packed.length - 6] ^= 0x55;
        Path damaged = file("damaged.gz", broken);
        fails(() -> read(damaged, labels(2)), "damaged.gz is damaged");
    }

    @Test
    void imagesAndLabelsOfDifferentCounts() {
        Path images = file("images", Numbered.idx(8, new byte[12], 2, 2, 3));
        fails(
                () -> Dataset.idx(images, labels(3)).open(0),
                "images and labels do not belong together",
                "images has 2 rows",
                "labels has 3");
        fails(
                () -> Dataset.of(NdArray.of(new float[6], 3, 2), NdArray.of(new long[2], 2)),
                "features[0] has 3 rows, labels[0] has 2");
        fails(() -> Dataset.of(NdArray.of(new float[1])), "features[0] is a single number");
    }

    @Test
    void emptyDataset() {
        Dataset none = Dataset.of(NdArray.of(new float[0], 0, 2), NdArray.of(new long[0], 0));
        fails(() -> none.open(0), "the dataset is empty: arrays([float32[0, 2]], [int64[0]]) has no rows");
        fails(() -> Numbered.arrays(3).filter(sample -> false).spec(), "the dataset is empty: no row of");
        assertThat(Numbered.epoch(Numbered.arrays(3).shard(4, 5), 0)).isEmpty();
    }

    @Test
    void impossibleSettings() {
        Dataset dataset = Numbered.arrays(4);
        fails(() -> dataset.batch(0), "batch(0): expected a batch size of 1 or more");
        fails(() -> dataset.shard(3, 3), "shard(3, 3): expected a shard from 0 to 2, received 3");
        fails(() -> dataset.shard(-1, 3), "shard(-1, 3): expected a shard from 0 to 2, received -1");
        fails(() -> dataset.shard(0, 0), "shard(0, 0): expected at least 1 shard");
        fails(() -> dataset.split(1.5), "split(1.5): expected a fraction between 0 and 1");
        fails(() -> dataset.split(Double.NaN), "split(NaN)");
        fails(() -> dataset.take(-1), "take(-1): expected 0 rows or more");
        fails(() -> dataset.skip(-1), "skip(-1): expected 0 rows or more");
        fails(() -> dataset.repeat(0), "repeat(0): expected 1 time or more");
        fails(() -> dataset.shuffle(1, 0), "shuffle(1, 0): expected a buffer of 1 row or more");
        fails(() -> dataset.cache(-1), "cache(-1): expected a limit of 0 bytes or more");
        fails(() -> dataset.prefetch(-1), "prefetch(-1): expected 0 batches or more");
        fails(() -> dataset.chunks(0, 0), "expected chunks of 1 row or more");
        assertThatThrownBy(() -> dataset.open(-1)).hasMessage("epochs count from 0: received -1");
    }

    @Test
    void raggedRows() {
        Dataset ragged = Numbered.arrays(8)
                .map(sample -> sample.label().longAt(0) == 5
                        ? Sample.of(NdArray.of(new float[3], 3), sample.label())
                        : sample);
        fails(
                () -> Numbered.epoch(ragged.batch(4), 0),
                "row 5 has features[0] of float32[3], but row 4 of the same batch has float32[2]");
        Dataset unlabelled =
                Numbered.arrays(8).map(sample -> sample.label().longAt(0) == 2 ? Sample.of(sample.feature()) : sample);
        fails(() -> Numbered.epoch(unlabelled.batch(4), 0), "row 2 has 0 labels, but row 0 of the same batch has 1");
    }

    @Test
    void functionThatThrowsIsNamedWithItsRow() {
        Dataset dataset = Numbered.arrays(8).map(Transform.flatten()).shuffle(3).map(sample -> {
            if (sample.label().longAt(0) == 6) {
                throw new IllegalStateException("no sixes");
            }
            return sample;
        });
        assertThatThrownBy(() -> Numbered.epoch(dataset, 0))
                .isInstanceOf(DataException.class)
                .hasMessage("stage 3 of the dataset, map(lambda), failed at row 6: no sixes")
                .hasRootCauseInstanceOf(IllegalStateException.class);
        fails(
                () -> Numbered.epoch(
                        Numbered.arrays(4).filter(sample -> sample.feature().longs() == null), 0),
                "stage 1 of the dataset, filter(lambda), failed at row 0: the array float32[2] is not int64");
        fails(() -> Numbered.epoch(Numbered.arrays(4).map(sample -> null), 0), "the transform returned null");
        fails(
                () -> Numbered.epoch(
                        Dataset.of(new TestingSequentialSource(3, 3)).map(Transform.oneHot(5)), 0),
                "stage 1 of the dataset, map(oneHot(5)), failed at row 2 of part 1: class 5 is outside 0 to 4");
    }

    @Test
    void failedReaderFailsAgainAndKeepsItsPlace() {
        Dataset dataset = Numbered.arrays(8).batch(2).map(sample -> {
            if (sample.label().longAt(0) == 5) {
                throw new IllegalStateException("no fives");
            }
            return sample;
        });
        for (Dataset each : List.of(dataset, dataset.prefetch(2))) {
            try (BatchReader reader = each.open(0)) {
                reader.next();
                reader.next();
                fails(reader::next, "no fives");
                fails(reader::next, "no fives");
                assertThat(reader.position().rows()).isEqualTo(4);
            }
        }
    }

    @Test
    void notANumberIsAllowed() {
        Dataset dataset = Dataset.of(NdArray.of(new float[] {1, Float.NaN}, 2), NdArray.of(new long[2], 2))
                .batch(2);
        assertThat(Numbered.epoch(dataset, 0).get(0).feature().floats()[1]).isNaN();
        fails(() -> Normalize.fit(dataset), "normalize cannot be fitted: column 0 holds values that are not finite");
    }

    @Test
    void mnistThatIsNotThere() {
        fails(
                () -> MnistSource.folder(null, null, Path.of("/")),
                "MNIST was not found: there is no folder datasets/mnist in / or above it",
                "TUTTI_DATASETS");
        assertThat(MnistSource.folder("/a", "/b", folder)).isEqualTo(Path.of("/a/mnist"));
        assertThat(MnistSource.folder(null, "/b", folder)).isEqualTo(Path.of("/b/mnist"));
        assertThatCode(() -> Mnist.test().open(0).close()).doesNotThrowAnyException();
    }
}
