package dev.tutti.source.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in both directions, and what is said about damaged ones. */
class TfRecordTest {
    @TempDir
    Path folder;

    private Path file;

    private Dataset written(String name) {
        NdArray x = NdArray.of(new float[] {1, 2, 3, 4, 5, 6}, 3, 2);
        NdArray y = NdArray.of(new long[] {7, -8, Long.MAX_VALUE}, 3);
        file = folder.resolve(name);
        TfRecordWriter.write(file, Dataset.of(x, y).batch(2), List.of("x", "y"));
        return Dataset.of(TfRecordSource.of(file.toString()).label("y")).batch(3);
    }

    private static Batch first(Dataset data) {
        try (BatchReader reader = data.open(0)) {
            return reader.next().orElseThrow();
        }
    }

    @Test
    void whatWasWrittenIsRead() {
        for (String name : List.of("a.tfrecord", "a.tfrecord.gz")) {
            Batch batch = first(written(name));
            assertThat(batch.feature()).isEqualTo(NdArray.of(new float[] {1, 2, 3, 4, 5, 6}, 3, 2));
            assertThat(batch.label().longs()).containsExactly(7, -8, Long.MAX_VALUE);
        }
        assertThat(folder.toFile().list()).hasSize(2);
    }

    /** The bytes of an example with unpacked lists, as the format allows: x is 0.5 and 1. */
    @Test
    void listsThatAreNotPackedAreReadToo() {
        byte[] floats = HexFormat.of().parseHex("0d0000003f0d0000803f");
        byte[] feature = join(new byte[] {0x12, (byte) floats.length}, floats);
        byte[] entry = join(new byte[] {0x0a, 1, 'x', 0x12, (byte) feature.length}, feature);
        byte[] features = join(new byte[] {0x0a, (byte) entry.length}, entry);
        byte[] whole = join(new byte[] {0x0a, (byte) features.length}, features);
        var found = ExampleReader.all(java.nio.ByteBuffer.wrap(whole).order(java.nio.ByteOrder.LITTLE_ENDIAN));
        float[] out = new float[2];
        assertThat(ExampleReader.floats(found.get("x"), out, 0, 2)).isEqualTo(2);
        assertThat(out).containsExactly(0.5f, 1f);
    }

    private static byte[] join(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    /** Files that TensorFlow's own library wrote; make_examples.py beside them made them. */
    @Test
    void whatTensorFlowWroteIsRead() throws Exception {
        for (String name : List.of("examples.tfrecord", "examples.tfrecord.gz")) {
            Path made = Path.of(TfRecordTest.class.getResource(name).toURI());
            Batch batch = first(Dataset.of(TfRecordSource.of(made.toString()).label("label"))
                    .batch(25));
            assertThat(batch.size()).isEqualTo(25);
            for (int i = 0; i < 25; i++) {
                assertThat(batch.features(0).row(i).floats()).containsExactly(i, i / 4f, -i);
                assertThat(batch.label().longs()[i]).isEqualTo((long) i * i - 50);
                assertThat(new String(batch.features(1).row(i).bytes(), java.nio.charset.StandardCharsets.UTF_8))
                        .isEqualTo(String.format(java.util.Locale.ROOT, "row-%03d", i));
            }
        }
    }

    @Test
    void damageIsFound() throws IOException {
        Dataset data = written("b.tfrecord");
        byte[] bytes = Files.readAllBytes(file);
        for (int at : new int[] {3, 9, 20, bytes.length - 1}) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 0x40;
            Files.write(file, damaged);
            assertThatThrownBy(() -> first(data))
                    .as("byte %d", at)
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining("b.tfrecord, record")
                    .hasMessageContaining("checksum");
        }
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 5));
        assertThatThrownBy(() -> first(data)).hasMessageContaining("record 2").hasMessageContaining("cut short");
    }

    @Test
    void whatDoesNotFitIsSaid() {
        written("c.tfrecord");
        TfRecordSource source = TfRecordSource.of(file.toString());
        assertThatThrownBy(() -> first(Dataset.of(source.feature("x", DType.FLOAT32, 3))))
                .hasMessageContaining("record 0: feature 'x': expected 3 floats, received 2");
        assertThatThrownBy(() -> first(Dataset.of(source.feature("x", DType.INT64, 2))))
                .hasMessageContaining("expected int64, received a list of floats");
        assertThatThrownBy(() -> first(Dataset.of(source.feature("q", DType.INT64, 2))))
                .hasMessageContaining("has no feature 'q'");
        assertThatThrownBy(() -> first(Dataset.of(source.label("z")))).hasMessageContaining("'z' for the label");
    }

    @Test
    void aFileThatIsNotFinishedDoesNotAppear() {
        Path unfinished = folder.resolve("d.tfrecord");
        try (TfRecordWriter writer = TfRecordWriter.to(unfinished)) {
            writer.write(java.util.Map.of("x", NdArray.of(new float[] {1}, 1)));
        }
        assertThat(folder.toFile().list()).isEmpty();
    }
}
