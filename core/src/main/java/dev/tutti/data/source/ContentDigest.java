package dev.tutti.data.source;

import dev.tutti.data.Sample;
import dev.tutti.data.stage.SampleCodec;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Tells the rows of one source from those of another, wherever they are stored: the number of rows and a checksum over up to 8 MiB of
 * them, spread evenly. Copies of the same files at different paths have the same digest.
 */
public final class ContentDigest {
    private static final long MOST_BYTES = 8 << 20;
    private static final long LEAST_ROWS = 16;

    private final CRC32C checksum = new CRC32C();

    private ContentDigest() {}

    /** Opens the source, reads rows of it and closes it. Where each member supplies other rows, only their name counts. */
    public static String of(Source source) {
        if (source.suppliedByPlace()) {
            return source.toString(); // every member has other rows
        }
        ContentDigest digest = new ContentDigest();
        try (Source.Rows rows = source.open()) {
            String count = rows instanceof Source.RandomRows random
                    ? digest.spread(random) + " rows"
                    : digest.first((Source.SequentialRows) rows) + " parts";
            return String.format(Locale.ROOT, "%s, checksum %08x", count, digest.checksum.getValue());
        }
    }

    private long spread(Source.RandomRows rows) {
        long size = rows.size();
        if (size == 0) {
            return 0;
        }
        long bytes = Math.max(1, add(rows.row(0)));
        long count = Math.min(size, Math.max(LEAST_ROWS, MOST_BYTES / bytes));
        for (long i = 1; i < count; i++) {
            add(rows.row((long) ((double) i / (count - 1) * (size - 1))));
        }
        return size;
    }

    /** Parts may be files of any length, so only the beginning of the first one is read. */
    private int first(Source.SequentialRows rows) {
        int parts = rows.parts();
        if (parts > 0) {
            try (Source.Cursor cursor = rows.read(0, 0)) {
                Optional<Sample> sample = cursor.next();
                for (int i = 1; sample.isPresent() && i < LEAST_ROWS; i++) {
                    add(sample.get());
                    sample = cursor.next();
                }
            }
        }
        return parts;
    }

    private int add(Sample sample) {
        var encoded = SampleCodec.encode(sample);
        int bytes = encoded.remaining();
        checksum.update(encoded);
        return bytes;
    }
}
