package dev.tutti.io;

import dev.tutti.DidYouMean;
import dev.tutti.FileKind;
import dev.tutti.array.NdArray;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Named arrays and notes about them, in the safetensors format that Python reads and writes as well: a short JSON
 * header, then the plain bytes.
 *
 * <p>A file {@linkplain #writeWithChecksum written with a checksum} carries, among its notes, the SHA-256 of the whole
 * file with the checksum's own digits taken as zeros; any other reader passes over it. {@link #readVerified} then
 * notices every changed, missing or added byte.
 *
 * @param tensors the arrays, in order
 * @param metadata notes, in order
 */
public record Safetensors(Map<String, NdArray> tensors, Map<String, String> metadata) {
    static final String CHECKSUM = "tutti.sha256";
    private static final byte[] CHECKSUM_START = ("\"" + CHECKSUM + "\":\"").getBytes(StandardCharsets.US_ASCII);
    static final String NO_CHECKSUM = "0".repeat(Checksum.DIGITS);
    private static final int MOST_HEADER_BYTES = 100_000_000;

    public Safetensors {
        tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
        if (tensors.containsKey(SafetensorsHeader.METADATA)) {
            throw new IllegalArgumentException("an array cannot be named " + SafetensorsHeader.METADATA);
        }
        if (metadata.containsKey(CHECKSUM)) {
            throw new IllegalArgumentException("the note " + CHECKSUM + " is made by writeWithChecksum");
        }
    }

    public static Safetensors of(Map<String, NdArray> tensors) {
        return new Safetensors(tensors, Map.of());
    }

    /** The same with one more note. */
    public Safetensors with(String key, String value) {
        Map<String, String> notes = new LinkedHashMap<>(metadata);
        notes.put(key, value);
        return new Safetensors(tensors, notes);
    }

    /** An array by its name. */
    public NdArray tensor(String name) {
        NdArray array = tensors.get(name);
        if (array == null) {
            throw new IllegalArgumentException(
                    "there is no array '" + name + "'" + DidYouMean.hint(name, tensors.keySet()));
        }
        return array;
    }

    /** Writes a file, {@linkplain AtomicFile whole or not at all}. */
    public void write(Path file) {
        SafetensorsHeader header = SafetensorsHeader.layOut(tensors, metadata);
        write(file, header, header.toBytes());
    }

    /** Writes a file that {@link #readVerified} can vouch for, {@linkplain AtomicFile whole or not at all}. */
    public void writeWithChecksum(Path file) {
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put(CHECKSUM, NO_CHECKSUM);
        notes.putAll(metadata);
        SafetensorsHeader header = SafetensorsHeader.layOut(tensors, notes);
        byte[] bytes = header.toBytes();
        MessageDigest digest = Checksum.newSha256();
        try {
            write(new DigestOutputStream(OutputStream.nullOutputStream(), digest), header, bytes);
        } catch (IOException e) {
            throw new IllegalStateException("writing to nowhere never fails", e);
        }
        byte[] digits = Checksum.text(digest).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(digits, 0, bytes, checksumAt(bytes), Checksum.DIGITS);
        write(file, header, bytes);
    }

    /** Writes to a stream and leaves it open. */
    public void write(OutputStream out) throws IOException {
        SafetensorsHeader header = SafetensorsHeader.layOut(tensors, metadata);
        write(out, header, header.toBytes());
    }

    /**
     * Reads a file; a checksum in it is not looked at.
     *
     * @throws CorruptFileException if it is cut short or no safetensors file
     */
    public static Safetensors read(Path file) {
        return open(file, false);
    }

    /**
     * Reads a file that was written with a checksum, and every byte of it is as it was written.
     *
     * @throws CorruptFileException if it is not, or carries no checksum
     */
    public static Safetensors readVerified(Path file) {
        return open(file, true);
    }

    /**
     * Reads a file that was received whole; {@code name} stands for it in messages. No array is allocated that the bytes do not fill.
     *
     * @throws CorruptFileException if it is cut short or no safetensors file
     */
    public static Safetensors read(byte[] bytes, String name) {
        try {
            return read(new ByteArrayInputStream(bytes), name, bytes.length, false);
        } catch (IOException e) {
            throw FileException.cannotBeRead(name, e);
        }
    }

    /** Reads a stream to its end and leaves it open; {@code name} stands for it in messages. */
    public static Safetensors read(InputStream in, String name) {
        try {
            return read(in, name, Long.MAX_VALUE, false);
        } catch (IOException e) {
            throw FileException.cannotBeRead(name, e);
        }
    }

    private void write(Path file, SafetensorsHeader header, byte[] bytes) {
        AtomicFile.write(file, Long.BYTES + bytes.length + header.dataBytes(), out -> write(out, header, bytes));
    }

    private void write(OutputStream out, SafetensorsHeader header, byte[] bytes) throws IOException {
        out.write(lengthOf(bytes));
        out.write(bytes);
        ArrayBytes buffer = new ArrayBytes();
        for (SafetensorsHeader.Entry entry : header.inFileOrder()) {
            buffer.write(tensors.get(entry.name()), out);
        }
    }

    private static Safetensors open(Path file, boolean verify) {
        try (InputStream in = Files.newInputStream(FileKind.require(file))) {
            return read(in, file.toString(), Files.size(file), verify);
        } catch (IOException e) {
            throw FileException.cannotBeRead(file.toString(), e);
        }
    }

    private static Safetensors read(InputStream in, String file, long fileBytes, boolean verify) throws IOException {
        byte[] bytes = readHeader(in, file, fileBytes);
        SafetensorsHeader header = SafetensorsHeader.parse(bytes, file);
        long expected = Long.BYTES + bytes.length + header.dataBytes();
        if (fileBytes < expected) {
            throw cutShort(file, expected, fileBytes);
        }
        MessageDigest digest = Checksum.newSha256();
        if (verify) {
            digest.update(lengthOf(bytes));
            digest.update(withoutChecksum(bytes, file));
        }
        Map<String, NdArray> tensors = new LinkedHashMap<>();
        header.entries().forEach(entry -> tensors.put(entry.name(), null)); // fixes the order
        ArrayBytes buffer = new ArrayBytes();
        InputStream data = verify ? new DigestInputStream(in, digest) : in;
        for (SafetensorsHeader.Entry entry : header.inFileOrder()) {
            requireFits(entry, file);
            NdArray array = NdArray.zeros(entry.type().inMemory(), entry.shape());
            try {
                buffer.read(entry.type(), array, data);
            } catch (EOFException e) {
                throw new CorruptFileException(
                        file, "is cut short: it ends within the array '" + entry.name() + "'", e);
            }
            tensors.put(entry.name(), array);
        }
        if (in.read() >= 0) {
            throw new CorruptFileException(file, "goes on after the last array: expected " + expected + " bytes");
        }
        Map<String, String> notes = new LinkedHashMap<>(header.metadata());
        String stated = notes.remove(CHECKSUM);
        if (verify && !Checksum.text(digest).equals(stated)) {
            throw new CorruptFileException(
                    file, "its bytes are not those that were written: the checksum does not fit");
        }
        return new Safetensors(tensors, notes);
    }

    private static void requireFits(SafetensorsHeader.Entry entry, String file) {
        if (entry.shape().size() > Integer.MAX_VALUE - 8) {
            throw new FileException(
                    file,
                    "the array '" + entry.name() + "' has " + entry.shape().size()
                            + " elements: an array of the JVM holds at most 2147483639; read it by TensorFile");
        }
    }

    static byte[] readHeader(InputStream in, String file, long fileBytes) throws IOException {
        byte[] prefix = in.readNBytes(Long.BYTES);
        if (prefix.length < Long.BYTES) {
            throw new CorruptFileException(
                    file,
                    "is cut short: a safetensors file begins with 8 bytes of header length, this one " + "has "
                            + prefix.length + " bytes");
        }
        long length = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getLong();
        if (length < 2 || length > MOST_HEADER_BYTES) {
            throw new CorruptFileException(
                    file, "is no safetensors file: its header would have " + Long.toUnsignedString(length) + " bytes");
        }
        if (length > fileBytes - Long.BYTES) {
            throw cutShort(file, Long.BYTES + length, fileBytes);
        }
        byte[] header = in.readNBytes((int) length);
        if (header.length < length) {
            throw cutShort(file, Long.BYTES + length, Long.BYTES + header.length);
        }
        return header;
    }

    static CorruptFileException cutShort(String file, long expected, long received) {
        return new CorruptFileException(
                file, "is cut short: expected at least " + expected + " bytes, received " + received);
    }

    static byte[] withoutChecksum(byte[] header, String file) {
        int at = checksumAt(header);
        if (at < 0 || at + Checksum.DIGITS > header.length) {
            throw new CorruptFileException(file, "carries no checksum, so its bytes cannot be verified");
        }
        byte[] copy = header.clone();
        Arrays.fill(copy, at, at + Checksum.DIGITS, (byte) '0');
        return copy;
    }

    /**
     * Where the digits of the checksum are, or -1; quotes within JSON strings are escaped, so nothing else looks like
     * it.
     */
    static int checksumAt(byte[] header) {
        for (int at = 0; at + CHECKSUM_START.length <= header.length; at++) {
            int end = at + CHECKSUM_START.length;
            if (Arrays.equals(header, at, end, CHECKSUM_START, 0, CHECKSUM_START.length)) {
                return end;
            }
        }
        return -1;
    }

    static byte[] lengthOf(byte[] header) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .array();
    }
}
