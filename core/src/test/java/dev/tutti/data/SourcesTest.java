package dev.tutti.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourcesTest {
    @TempDir
    Path folder;

    @Test
    void mnistIsReadyToTrainOn() {
        assertThat(Mnist.train().size()).hasValue(60_000);
        assertThat(Mnist.test().size()).hasValue(10_000);
        assertThat(Mnist.test().describe())
                .isEqualTo("10000 rows, features [float32[1, 28, 28]], labels [int64[]], from mnist(test)");

        Batch first = Numbered.epoch(Mnist.train().take(5).batch(5), 0).get(0);
        assertThat(first.label().longs()).containsExactly(5, 0, 4, 1, 9);
        float brightest = 0;
        float darkest = 1;
        for (float pixel : first.feature().floats()) {
            brightest = Math.max(brightest, pixel);
            darkest = Math.min(darkest, pixel);
        }
        assertThat(brightest).isEqualTo(1);
        assertThat(darkest).isZero();
    }

    @Test
    void idxElementsAreBigEndian() {
        byte[] floats = ByteBuffer.allocate(8).putFloat(1.5f).putFloat(-2).array();
        byte[] ints = ByteBuffer.allocate(8).putInt(7).putInt(-8).array();
        byte[] doubles = ByteBuffer.allocate(16).putDouble(Math.PI).putDouble(0).array();
        Path labels = Numbered.write(folder.resolve("ints"), Numbered.idx(0x0C, ints, 2));
        Batch batch = Numbered.epoch(
                        Dataset.idx(Numbered.write(folder.resolve("floats"), Numbered.idx(0x0D, floats, 2, 1)), labels)
                                .batch(2),
                        0)
                .get(0);
        assertThat(batch.feature()).isEqualTo(NdArray.of(new float[] {1.5f, -2}, 2, 1));
        assertThat(batch.label()).isEqualTo(NdArray.of(new int[] {7, -8}, 2));

        Path wide = Numbered.write(folder.resolve("doubles"), Numbered.idx(0x0E, doubles, 2));
        assertThat(Dataset.idx(wide, labels).spec().feature().type()).isEqualTo(DType.FLOAT64);
    }

    @Test
    void changedFileIsReadAgain() throws IOException {
        Path labels = Numbered.write(folder.resolve("labels"), Numbered.idx(8, new byte[] {1, 2}, 2));
        Path images = Numbered.write(folder.resolve("images"), Numbered.idx(8, new byte[] {3, 4}, 2));
        Dataset dataset = Dataset.idx(images, labels);
        assertThat(Numbered.ids(dataset, 0)).containsExactly(1L, 2L);

        Numbered.write(labels, Numbered.idx(8, new byte[] {5, 6}, 2));
        Files.setLastModifiedTime(labels, FileTime.fromMillis(1_000_000));
        assertThat(Numbered.ids(dataset, 0)).containsExactly(5L, 6L);
    }
}
