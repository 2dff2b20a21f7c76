package dev.tutti.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** There was no room for a file; what was there before is untouched. */
public class DiskFullException extends FileException {
    private static final long serialVersionUID = 1L;

    private final long needed;
    private final long free;

    public DiskFullException(Path file, long needed, long free, Throwable cause) {
        super(
                file.toString(),
                "the disk is full: at least " + words(needed) + " are needed and " + words(free)
                        + " are free. Make room or choose another place; nothing was changed",
                cause);
        this.needed = needed;
        this.free = free;
    }

    /** Bytes that had to be written, as far as it was known. */
    public long needed() {
        return needed;
    }

    /** Bytes that were free, not counting those of the unfinished file, which is gone. */
    public long free() {
        return free;
    }

    /** Whether a write into a folder failed because the disk is full. */
    static boolean isTheReason(IOException failure, Path folder) {
        String message = String.valueOf(failure.getMessage());
        return message.contains("No space left on device")
                || message.contains("Disk quota exceeded")
                || message.contains("not enough space on the disk")
                || freeIn(folder) < 4096; // the words above are those of English systems only
    }

    static long freeIn(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    private static String words(long bytes) {
        if (bytes < 1000) {
            return bytes + " bytes";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 1000 && unit < 4) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %cB", value, "kMGTP".charAt(unit));
    }
}
