package dev.tutti.jobs.learn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Examples in a file, each a record of the same length: features, then the label. A record that was cut off by a crash is overwritten
 * by the next one.
 *
 * @param features the shapes of one row
 * @param label the shape of one label
 * @param labelType INT64 for classes, FLOAT32 for numbers
 */
record ExampleFile(Path path, List<Shape> features, Shape label, DType labelType) {
    private int numbers() {
        long all = Math.max(1, label.size());
        for (Shape shape : features) {
            all += Math.max(1, shape.size());
        }
        return Math.toIntExact(all);
    }

    private long recordBytes() {
        return numbers() * (long) Float.BYTES;
    }

    /** How many there are. */
    long count() {
        try {
            return Files.exists(path) ? Files.size(path) / recordBytes() : 0;
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be read: " + e.getMessage());
        }
    }

    /** Appends rows of some arrays; they are on disk when this returns. */
    void append(List<NdArray> rows, NdArray labels, List<Integer> chosen) {
        if (chosen.isEmpty()) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(recordBytes() * chosen.size()));
        List<NdArray> all = new ArrayList<>(rows);
        all.add(labels);
        for (int row : chosen) {
            for (NdArray array : all) {
                int width = array.size() / Math.toIntExact(array.shape().dim(0));
                for (int i = 0; i < width; i++) {
                    bytes.putFloat((float) array.at(row * width + i));
                }
            }
        }
        bytes.flip();
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long at = count() * recordBytes();
            while (bytes.hasRemaining()) {
                at += out.write(bytes, at);
            }
            out.force(false);
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be written: " + e.getMessage());
        }
    }

    /** Examples of a range: an array for each feature, and the labels last. */
    List<NdArray> read(long from, long to) {
        int count = Math.toIntExact(to - from);
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(recordBytes() * count));
        try (FileChannel in = FileChannel.open(path, StandardOpenOption.READ)) {
            long at = from * recordBytes();
            while (bytes.hasRemaining()) {
                int read = in.read(bytes, at);
                if (read < 0) {
                    throw new IOException("it ends early");
                }
                at += read;
            }
        } catch (IOException e) {
            throw new FileException(path.toString(), "cannot be read: " + e.getMessage());
        }
        bytes.flip();
        List<float[]> values = new ArrayList<>();
        features.forEach(shape -> values.add(new float[Math.toIntExact(shape.size()) * count]));
        values.add(new float[Math.toIntExact(label.size()) * count]);
        for (int row = 0; row < count; row++) {
            for (float[] array : values) {
                int width = array.length / count;
                for (int i = 0; i < width; i++) {
                    array[row * width + i] = bytes.getFloat();
                }
            }
        }
        List<NdArray> arrays = new ArrayList<>();
        for (int i = 0; i < features.size(); i++) {
            arrays.add(NdArray.of(values.get(i), features.get(i).prepend(count).toArray()));
        }
        NdArray labels =
                NdArray.of(values.get(features.size()), label.prepend(count).toArray());
        arrays.add(labels.to(labelType));
        return arrays;
    }
}
