package dev.tutti.source.record;

import dev.tutti.data.DataException;
import dev.tutti.source.table.LargeBuffer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;

/**
 * The records of some files, found in one pass that verifies every checksum; from then on any record by its number. Files packed
 * with gzip are unpacked into a temporary file.
 */
final class RecordFrames {
    private static final int LENGTH_BYTES = 12;
    private static final int CRC_BYTES = 4;

    private final List<Path> files;
    private final List<LargeBuffer> buffers = new ArrayList<>();
    private long[] offsets = new long[1024];
    private int[] lengths = new int[1024];
    private final List<Integer> firsts = new ArrayList<>();
    private int count;
    private final CRC32C content = new CRC32C();

    RecordFrames(List<Path> files) {
        this.files = files;
        for (Path file : files) {
            firsts.add(count);
            LargeBuffer buffer = open(file);
            buffers.add(buffer);
            index(file, buffer);
        }
    }

    private static LargeBuffer open(Path file) {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            in.mark(2);
            boolean packed = in.read() == 0x1f && in.read() == 0x8b;
            in.reset();
            return packed ? LargeBuffer.unpack(new GZIPInputStream(in, 1 << 16)) : LargeBuffer.map(file);
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private void index(Path file, LargeBuffer buffer) {
        long at = 0;
        while (at < buffer.size()) {
            String record = file + ", record " + (count - firsts.get(firsts.size() - 1)) + " at byte " + at;
            if (buffer.size() - at < LENGTH_BYTES) {
                throw new DataException(record + ": the file is cut short: expected a length of " + LENGTH_BYTES
                        + " bytes, received " + (buffer.size() - at));
            }
            ByteBuffer head = buffer.slice(at, LENGTH_BYTES);
            long length = head.getLong(0);
            requireChecksum(record, "length", crc(buffer.slice(at, 8)), head.getInt(8));
            if (length < 0
                    || length > Integer.MAX_VALUE / 2
                    || at + LENGTH_BYTES + length + CRC_BYTES > buffer.size()) {
                throw new DataException(record + ": the file is cut short: expected " + length + " bytes, received "
                        + Math.max(0, buffer.size() - at - LENGTH_BYTES - CRC_BYTES));
            }
            int size = (int) length;
            int crc = crc(buffer.slice(at + LENGTH_BYTES, size));
            requireChecksum(
                    record,
                    "content",
                    crc,
                    buffer.slice(at + LENGTH_BYTES + size, CRC_BYTES).getInt(0));
            add(at + LENGTH_BYTES, size, crc);
            at += LENGTH_BYTES + size + CRC_BYTES;
        }
    }

    private void add(long offset, int length, int crc) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
        }
        offsets[count] = offset;
        lengths[count++] = length;
        for (int shift = 0; shift < 32; shift += 8) {
            content.update(crc >>> shift);
        }
    }

    private static void requireChecksum(String record, String what, int computed, int stated) {
        if (computed != stated) {
            throw new DataException(record + ": the checksum of its " + what + " does not fit: the file is damaged,"
                    + " or is no file of TFRecords");
        }
    }

    /** The CRC32C turned and shifted, as the format asks for. */
    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
    }

    int size() {
        return count;
    }

    ByteBuffer record(long number) {
        int at = Math.toIntExact(number);
        return buffers.get(fileOf(at)).slice(offsets[at], lengths[at]);
    }

    private int fileOf(int number) {
        int file = firsts.size() - 1;
        while (firsts.get(file) > number) {
            file--;
        }
        return file;
    }

    /** How a person finds a record. */
    String place(long number) {
        int file = fileOf(Math.toIntExact(number));
        return files.get(file) + ", record " + (number - firsts.get(file));
    }

    String fingerprint() {
        return String.format(Locale.ROOT, "%,d records (checksum %08x)", count, content.getValue());
    }
}
