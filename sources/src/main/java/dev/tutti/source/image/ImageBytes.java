package dev.tutti.source.image;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** What the bytes of an image file show without decoding it. Decoders fill in what is missing at the end of a file, unasked. */
final class ImageBytes {
    private static final int JPEG_START = 0xffd8;
    private static final int JPEG_SCAN = 0xda;
    private static final int JPEG_END = 0xd9;
    private static final long PNG_START = 0x89504e470d0a1a0aL;
    private static final int PNG_END = 0x49454e44;
    private static final int PNG_FRAME = 12;

    private ImageBytes() {}

    /** Whether the end of a JPEG, PNG or WebP image is missing. */
    static boolean isCutShort(byte[] bytes) {
        ByteBuffer image = ByteBuffer.wrap(bytes);
        if (bytes.length >= 4 && (image.getShort(0) & 0xffff) == JPEG_START) {
            return !hasJpegEnd(image);
        }
        if (bytes.length >= Long.BYTES && image.getLong(0) == PNG_START) {
            return !hasPngEnd(image);
        }
        boolean webp = bytes.length >= 12
                && new String(bytes, 0, 4, StandardCharsets.US_ASCII).equals("RIFF")
                && new String(bytes, 8, 4, StandardCharsets.US_ASCII).equals("WEBP");
        return webp && Integer.toUnsignedLong(Integer.reverseBytes(image.getInt(4))) + 8 > bytes.length;
    }

    /** Goes over the segments before the first scan, one of which may hold a small image of its own, then looks for the end. */
    private static boolean hasJpegEnd(ByteBuffer image) {
        int at = 2;
        while (at + 4 <= image.limit() && (image.get(at + 1) & 0xff) != JPEG_SCAN) {
            if ((image.get(at) & 0xff) != 0xff) {
                return true; // not the usual form: left to the decoder
            }
            boolean fill = (image.get(at + 1) & 0xff) == 0xff;
            at += fill ? 1 : 2 + (image.getShort(at + 2) & 0xffff);
        }
        for (int i = at; i + 1 < image.limit(); i++) {
            if ((image.get(i) & 0xff) == 0xff && (image.get(i + 1) & 0xff) == JPEG_END) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasPngEnd(ByteBuffer image) {
        long at = Long.BYTES;
        while (at + PNG_FRAME <= image.limit()) {
            if (image.getInt((int) at + 4) == PNG_END) {
                return true;
            }
            at += PNG_FRAME + Integer.toUnsignedLong(image.getInt((int) at));
        }
        return false;
    }
}
