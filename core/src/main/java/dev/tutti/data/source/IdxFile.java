package dev.tutti.data.source;

import dev.tutti.FileKind;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.data.DataException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * One IDX file, plain or packed with gzip: two zero bytes, the type of the elements, the number of axes, their
 * extents, then the elements, all big-endian.
 *
 * <p>The header is read at once, the elements when they are first needed. Files are shared between all that read them
 * for as long as memory allows, because unpacking one takes longer than an epoch's worth of reading it.
 */
final class IdxFile {
    private static final int BUFFER = 1 << 16;
    private static final Map<Version, SoftReference<NdArray>> LOADED = new ConcurrentHashMap<>();

    private final Path path;
    private final Version version;
    private final DType type;
    private final Shape shape;
    private final int headerBytes;

    /** A file as it was at one time: when it changes, it is read again. */
    private record Version(Path path, long size, FileTime changed) {
        static Version of(Path path) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Version(path.toAbsolutePath().normalize(), attributes.size(), attributes.lastModifiedTime());
        }
    }

    private IdxFile(Path path, Version version, DType type, Shape shape) {
        this.path = path;
        this.version = version;
        this.type = type;
        this.shape = shape;
        this.headerBytes = 4 + 4 * shape.rank();
    }

    static IdxFile open(Path path) {
        try (InputStream in = stream(path)) {
            Version version = Version.of(path);
            byte[] magic = in.readNBytes(4);
            if (magic.length < 4 || magic[0] != 0 || magic[1] != 0 || magic[3] <= 0) {
                throw new DataException(path + " is not an IDX file: it begins with the bytes "
                        + HexFormat.ofDelimiter(" ").formatHex(magic)
                        + ", but expected were 00 00, an element type and a number of axes");
            }
            return new IdxFile(path, version, elementType(path, magic[2]), shape(path, in, magic[3]));
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static DType elementType(Path path, byte code) {
        return switch (code) {
            case 0x08 -> DType.UINT8;
            case 0x0C -> DType.INT32;
            case 0x0D -> DType.FLOAT32;
            case 0x0E -> DType.FLOAT64;
            default ->
                throw new DataException(
                        path + ": the IDX element type 0x" + HexFormat.of().toHexDigits(code)
                                + " is not supported: expected 08 (bytes), 0c (ints), 0d (floats) or 0e (doubles)");
        };
    }

    private static Shape shape(Path path, InputStream in, int rank) throws IOException {
        byte[] bytes = in.readNBytes(4 * rank);
        if (bytes.length < 4 * rank) {
            throw new DataException(path + " is cut short: expected a header of " + (4 + 4 * rank) + " bytes, found "
                    + (4 + bytes.length));
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        long[] dims = new long[rank];
        for (int i = 0; i < rank; i++) {
            dims[i] = Integer.toUnsignedLong(header.getInt());
        }
        return Shape.of(dims);
    }

    Path path() {
        return path;
    }

    long rows() {
        return shape.dim(0);
    }

    /** All elements. */
    NdArray load() {
        SoftReference<NdArray> known = LOADED.get(version);
        NdArray array = known == null ? null : known.get();
        if (array == null) {
            array = read();
            LOADED.values().removeIf(reference -> reference.get() == null);
            LOADED.put(version, new SoftReference<>(array));
        }
        return array;
    }

    private NdArray read() {
        long expected = expectedBytes();
        byte[] bytes;
        boolean more;
        try (InputStream in = stream(path)) {
            in.skipNBytes(headerBytes);
            bytes = in.readNBytes((int) expected);
            more = in.read() >= 0;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
        if (bytes.length < expected || more) {
            throw new DataException(
                    path + (more ? " is too long" : " is cut short") + ": its header says " + type + shape + ", "
                            + expected + " bytes, but " + (more ? "there are more" : bytes.length + " are there"));
        }
        return NdArray.wrap(type, shape, elements(bytes));
    }

    private long expectedBytes() {
        try {
            long bytes = Math.multiplyExact(shape.size(), (long) type.bytes());
            if (bytes <= Integer.MAX_VALUE - 16) {
                return bytes;
            }
        } catch (ArithmeticException e) {
            // more than a long can hold is more than memory can hold
        }
        throw new DataException(
                path + " is too large: its header says " + type + shape + ", and IDX files are read up to 2 GB");
    }

    private Object elements(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Object out = type == DType.UINT8 ? bytes : NdArray.allocate(type, bytes.length / type.bytes());
        switch (type) {
            case INT32 -> in.asIntBuffer().get((int[]) out);
            case FLOAT32 -> in.asFloatBuffer().get((float[]) out);
            case FLOAT64 -> in.asDoubleBuffer().get((double[]) out);
            default -> {}
        }
        return out;
    }

    private static InputStream stream(Path path) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(FileKind.require(path)), BUFFER);
        try {
            in.mark(2);
            boolean packed = Arrays.equals(in.readNBytes(2), new byte[] {0x1f, (byte) 0x8b});
            in.reset();
            return packed ? new GZIPInputStream(in, BUFFER) : in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    private static DataException unreadable(Path path, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new DataException("there is no file " + path.toAbsolutePath(), e);
        }
        if (e instanceof EOFException) {
            return new DataException(path + " is cut short: its gzip data ends too early; fetch the file again", e);
        }
        if (e instanceof ZipException) {
            return new DataException(path + " is damaged: " + e.getMessage() + "; fetch the file again", e);
        }
        return new DataException(path + " cannot be read: " + e.getMessage(), e);
    }
}
