package dev.tutti.jobs.learn;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.io.AtomicFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Writes an array as a file of NumPy, version 1.0: floats as {@code <f4}, whole numbers as {@code <i8}. */
final class NumpyWriter {
    private static final int ALIGNED = 64;
    private static final int BEFORE_HEADER = 10;

    private NumpyWriter() {}

    static void write(Path file, NdArray array) {
        boolean whole = array.type() == DType.INT64;
        String shape =
                Arrays.stream(array.shape().toArray()).mapToObj(Long::toString).collect(Collectors.joining(", "));
        String header = "{'descr': '" + (whole ? "<i8" : "<f4") + "', 'fortran_order': False, 'shape': (" + shape
                + (array.shape().rank() == 1 ? ",)" : ")") + ", }";
        int padding = ALIGNED - (BEFORE_HEADER + header.length() + 1) % ALIGNED;
        header += " ".repeat(padding) + "\n";
        int size = whole ? Long.BYTES : Float.BYTES;
        ByteBuffer bytes = ByteBuffer.allocate(BEFORE_HEADER + header.length() + array.size() * size)
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 0x93)
                .put("NUMPY".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put((byte) 0);
        bytes.putShort((short) header.length()).put(header.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < array.size(); i++) {
            if (whole) {
                bytes.putLong((long) array.at(i));
            } else {
                bytes.putFloat((float) array.at(i));
            }
        }
        AtomicFile.write(file, out -> out.write(bytes.array()));
    }
}
