package dev.tutti.data;

import dev.tutti.array.NdArray;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;

/** Datasets whose rows can be told apart: the label of a row is its number. And ways to read them. */
public final class Numbered {
    private Numbered() {}

    static Dataset arrays(int rows) {
        float[] features = new float[2 * rows];
        for (int i = 0; i < rows; i++) {
            features[2 * i] = i;
            features[2 * i + 1] = 2 * i;
        }
        return Dataset.of(
                NdArray.of(features, rows, 2),
                NdArray.of(LongStream.range(0, rows).toArray(), rows));
    }

    /** An IDX file of bytes. */
    static byte[] idx(int type, byte[] elements, int... shape) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(new byte[] {0, 0, (byte) type, (byte) shape.length});
            for (int dim : shape) {
                out.writeInt(dim);
            }
            out.write(elements);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    static Path write(Path file, byte[] bytes) {
        try {
            return Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** At most 256 images of 2x3 pixels. */
    static Dataset idxFiles(Path folder, int rows, boolean packed) {
        byte[] pixels = new byte[rows * 6];
        byte[] labels = new byte[rows];
        for (int i = 0; i < rows; i++) {
            labels[i] = (byte) i;
            for (int j = 0; j < 6; j++) {
                pixels[i * 6 + j] = (byte) (i * 7 + j);
            }
        }
        byte[] imageFile = idx(8, pixels, rows, 2, 3);
        byte[] labelFile = idx(8, labels, rows);
        String end = packed ? ".gz" : "";
        return Dataset.idx(
                write(folder.resolve("images" + end), packed ? gzip(imageFile) : imageFile),
                write(folder.resolve("labels" + end), packed ? gzip(labelFile) : labelFile));
    }

    static List<Batch> rest(BatchReader reader) {
        List<Batch> batches = new ArrayList<>();
        reader.forEach(batches::add);
        return batches;
    }

    public static List<Batch> epoch(Dataset dataset, int epoch) {
        try (BatchReader reader = dataset.open(epoch)) {
            return rest(reader);
        }
    }

    static List<Long> ids(List<Batch> batches) {
        List<Long> ids = new ArrayList<>();
        for (Batch batch : batches) {
            for (int i = 0; i < batch.size(); i++) {
                ids.add(batch.label().longAt(i));
            }
        }
        return ids;
    }

    static List<Long> ids(Dataset dataset, int epoch) {
        return ids(epoch(dataset, epoch));
    }
}
