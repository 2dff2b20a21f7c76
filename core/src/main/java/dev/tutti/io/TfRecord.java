package dev.tutti.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The frame around each record of an event file: length, its checksum, the bytes, their checksum. */
final class TfRecord {
    private TfRecord() {}

    static ByteBuffer frame(byte[] record) {
        ByteBuffer frame = ByteBuffer.allocate(8 + 4 + record.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        frame.putLong(record.length);
        frame.putInt(maskedCrc(frame.array(), 0, 8));
        frame.put(record);
        frame.putInt(maskedCrc(record, 0, record.length));
        return frame.flip();
    }

    /** The CRC32C turned and shifted, as the format asks for: the CRC of data that holds CRCs would be a weak one. */
    static int maskedCrc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        int value = (int) crc.getValue();
        return Integer.rotateRight(value, 15) + 0xa282ead8;
    }
}
