package dev.tutti.cluster.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/** A line of a journal: a checksum, a space and JSON. */
final class JournalLine {
    private JournalLine() {}

    static ByteBuffer of(String json) {
        return StandardCharsets.UTF_8.encode(checksum(json) + " " + json + "\n");
    }

    /** The JSON of a line without its end; empty if it does not fit its checksum. */
    static Optional<String> json(String line) {
        int space = line.indexOf(' ');
        String json = line.substring(space + 1);
        return space >= 0 && line.substring(0, space).equals(checksum(json)) ? Optional.of(json) : Optional.empty();
    }

    private static String checksum(String json) {
        CRC32C crc = new CRC32C();
        crc.update(json.getBytes(StandardCharsets.UTF_8));
        return String.format("%08x", crc.getValue());
    }
}
