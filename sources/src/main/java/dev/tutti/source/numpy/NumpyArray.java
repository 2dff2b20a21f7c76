package dev.tutti.source.numpy;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.DataException;
import dev.tutti.source.table.LargeBuffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** An array of a {@code .npy} file, or of an entry of a {@code .npz} file, mapped into memory: rows along its first axis. */
final class NumpyArray {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final Pattern HEADER = Pattern.compile(
            "'descr':\\s*'(.*?)'.*?'fortran_order':\\s*(True|False).*?'shape':\\s*\\((.*?)\\)", Pattern.DOTALL);

    private final String name;
    private final LargeBuffer buffer;
    private final long start;
    private final String elements;
    private final Shape shape;
    private final int rowSize;

    private NumpyArray(String name, LargeBuffer buffer) {
        this.name = name;
        this.buffer = buffer;
        ByteBuffer head = piece(0, 10);
        byte[] magic = new byte[6];
        head.get(magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new DataException(name + ": is no array of NumPy: it does not begin with \\x93NUMPY");
        }
        int version = head.get();
        int from = version == 1 ? 10 : 12;
        int length =
                version == 1 ? piece(8, 2).getShort(0) & 0xffff : piece(8, 4).getInt(0);
        byte[] text = new byte[length];
        piece(from, length).get(text);
        Matcher header = HEADER.matcher(new String(text, StandardCharsets.ISO_8859_1));
        if (!header.find()) {
            throw new DataException(name + ": has a header that is not understood: "
                    + new String(text, StandardCharsets.ISO_8859_1).strip());
        }
        elements = header.group(1);
        long[] dims = Arrays.stream(header.group(3).split(","))
                .map(String::strip)
                .filter(dim -> !dim.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
        if (dims.length == 0) {
            throw new DataException(name + ": is a single number: expected an array whose first axis are the rows");
        }
        if (header.group(2).equals("True") && dims.length > 1) {
            throw new DataException(name + ": lies in Fortran's order: save it with numpy.ascontiguousarray(array)");
        }
        shape = Shape.of(dims);
        start = (long) from + length;
        rowSize = Math.toIntExact(shape.from(1).size());
        long expected = start + shape.size() * bytes();
        if (buffer.size() < expected) {
            throw new DataException(
                    name + ": is cut short: expected " + expected + " bytes, received " + buffer.size());
        }
    }

    private ByteBuffer piece(long from, int length) {
        if (from + length > buffer.size()) {
            throw new DataException(name + ": is cut short: its header ends after " + buffer.size() + " bytes");
        }
        return buffer.slice(from, length);
    }

    /** @param place a file, or {@code file.npz:entry} */
    static NumpyArray open(String place) {
        int colon = place.lastIndexOf(".npz:");
        if (colon < 0) {
            return new NumpyArray(place, LargeBuffer.map(Path.of(place)));
        }
        String file = place.substring(0, colon + 4);
        String wanted = place.substring(colon + 5);
        try (ZipFile zip = new ZipFile(file)) {
            ZipEntry entry = zip.getEntry(wanted + ".npy");
            if (entry == null) {
                throw new DataException(file + ": has no array '" + wanted + "': it has "
                        + zip.stream()
                                .map(e -> e.getName().replaceFirst("\\.npy$", ""))
                                .collect(Collectors.joining(", ")));
            }
            try (InputStream in = zip.getInputStream(entry)) {
                return new NumpyArray(place, LargeBuffer.unpack(in));
            }
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    long rows() {
        return shape.dim(0);
    }

    private DType type() {
        return switch (elements.substring(1)) {
            case "f4", "f2" -> DType.FLOAT32;
            case "f8" -> DType.FLOAT64;
            case "i8", "u4" -> DType.INT64;
            case "i4", "i2", "i1", "u2" -> DType.INT32;
            case "u1" -> DType.UINT8;
            case "b1" -> DType.BOOL;
            default ->
                throw new DataException(name + ": holds elements of type " + elements
                        + ": expected numbers or truth values, f4, f8, i1 to i8, u1 to u4 or b1");
        };
    }

    private int bytes() {
        type();
        return Integer.parseInt(elements.substring(2));
    }

    NdArray rows(long[] numbers) {
        DType type = type();
        NdArray out = NdArray.zeros(type, shape.from(1).prepend(numbers.length));
        for (int i = 0; i < numbers.length; i++) {
            ByteBuffer row = buffer.slice(start + numbers[i] * rowSize * bytes(), rowSize * bytes());
            row.order(elements.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
            copy(row, out, i * rowSize);
        }
        return out;
    }

    private void copy(ByteBuffer in, NdArray out, int from) {
        switch (elements.substring(1)) {
            case "f4" -> in.asFloatBuffer().get(out.floats(), from, rowSize);
            case "f8" -> in.asDoubleBuffer().get(out.doubles(), from, rowSize);
            case "i8" -> in.asLongBuffer().get(out.longs(), from, rowSize);
            case "i4" -> in.asIntBuffer().get(out.ints(), from, rowSize);
            case "u1" -> in.get(out.bytes(), from, rowSize);
            default -> {
                for (int i = from; i < from + rowSize; i++) {
                    switch (elements.substring(1)) {
                        case "f2" -> out.floats()[i] = half(in.getShort());
                        case "u4" -> out.longs()[i] = in.getInt() & 0xffff_ffffL;
                        case "i2" -> out.ints()[i] = in.getShort();
                        case "u2" -> out.ints()[i] = in.getShort() & 0xffff;
                        case "i1" -> out.ints()[i] = in.get();
                        default -> out.booleans()[i] = in.get() != 0;
                    }
                }
            }
        }
    }

    private static float half(short bits) {
        int sign = (bits & 0x8000) << 16;
        int exponent = (bits >> 10) & 0x1f;
        int fraction = bits & 0x3ff;
        if (exponent == 0) {
            return (sign == 0 ? 1 : -1) * fraction * 0x1p-24f;
        }
        return Float.intBitsToFloat(sign | (exponent == 0x1f ? 0xff : exponent + 112) << 23 | fraction << 13);
    }
}
