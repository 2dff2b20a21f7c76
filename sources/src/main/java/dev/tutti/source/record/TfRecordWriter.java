package dev.tutti.source.record;

import dev.tutti.array.NdArray;
import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.io.FileException;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a file of {@code tf.Example} records, packed with gzip if its name ends in {@code .gz}. The file appears under its name
 * when it is closed; one that is left before {@link #finish} is deleted.
 */
public final class TfRecordWriter implements AutoCloseable {
    private final Path file;
    private final Path unfinished;
    private final OutputStream out;
    private boolean finished;

    private TfRecordWriter(Path file) throws IOException {
        this.file = file;
        this.unfinished = file.resolveSibling("." + file.getFileName() + ".unfinished");
        OutputStream plain = new BufferedOutputStream(Files.newOutputStream(unfinished), 1 << 16);
        this.out = file.toString().endsWith(".gz") ? new GZIPOutputStream(plain) : plain;
    }

    public static TfRecordWriter to(Path file) {
        try {
            return new TfRecordWriter(file);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage());
        }
    }

    /** Writes all rows of a dataset; names for its features and then for its labels. */
    public static void write(Path file, Dataset data, List<String> names) {
        try (TfRecordWriter writer = to(file);
                BatchReader reader = data.open(0)) {
            for (Optional<Batch> next = reader.next(); next.isPresent(); next = reader.next()) {
                Batch batch = next.get();
                List<NdArray> arrays = new java.util.ArrayList<>(batch.features());
                arrays.addAll(batch.labels());
                if (arrays.size() != names.size()) {
                    throw new DataException(
                            "expected a name for each of " + arrays.size() + " arrays, received " + names);
                }
                for (int row = 0; row < batch.size(); row++) {
                    Map<String, NdArray> example = new LinkedHashMap<>();
                    for (int i = 0; i < arrays.size(); i++) {
                        example.put(names.get(i), arrays.get(i).row(row));
                    }
                    writer.write(example);
                }
            }
            writer.finish();
        }
    }

    /** Writes one example: floats as a float list, whole numbers and truth values as an int64 list, bytes as one bytes value. */
    public void write(Map<String, NdArray> example) {
        ByteArrayOutputStream features = new ByteArrayOutputStream();
        example.forEach((name, array) -> {
            ByteArrayOutputStream entry = new ByteArrayOutputStream();
            field(entry, 1, name.getBytes(StandardCharsets.UTF_8));
            field(entry, 2, feature(array));
            field(features, 1, entry.toByteArray());
        });
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        field(whole, 1, features.toByteArray());
        byte[] record = whole.toByteArray();
        ByteBuffer frame = ByteBuffer.allocate(8 + 4 + record.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        frame.putLong(record.length);
        frame.putInt(RecordFrames.crc(ByteBuffer.wrap(frame.array(), 0, 8)));
        frame.put(record);
        frame.putInt(RecordFrames.crc(ByteBuffer.wrap(record)));
        try {
            out.write(frame.array());
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage());
        }
    }

    private static byte[] feature(NdArray array) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        int kind;
        if (array.type().isFloating()) {
            kind = ExampleReader.FLOATS;
            ByteBuffer packed = ByteBuffer.allocate(array.size() * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < array.size(); i++) {
                packed.putFloat((float) array.at(i));
            }
            field(list, 1, packed.array());
        } else if (array.type() == dev.tutti.array.DType.UINT8) {
            kind = ExampleReader.BYTES;
            field(list, 1, array.bytes());
        } else {
            kind = ExampleReader.INTEGERS;
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            for (int i = 0; i < array.size(); i++) {
                varint(packed, array.longAt(i));
            }
            field(list, 1, packed.toByteArray());
        }
        ByteArrayOutputStream feature = new ByteArrayOutputStream();
        field(feature, kind, list.toByteArray());
        return feature.toByteArray();
    }

    private static void field(ByteArrayOutputStream out, int number, byte[] value) {
        varint(out, (long) number << 3 | 2);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    /** Gives the file its name. */
    public void finish() {
        try {
            out.close();
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            finished = true;
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be written: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        if (!finished) {
            try (out) {
                Files.deleteIfExists(unfinished);
            } catch (IOException e) {
                throw new FileException(unfinished.toString(), "cannot be deleted: " + e.getMessage());
            }
        }
    }
}
