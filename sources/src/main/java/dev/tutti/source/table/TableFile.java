package dev.tutti.source.table;

import dev.tutti.data.DataException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A table that was read, as a file: its blocks, then what describes them, then the length and checksum of that and a mark. Files are
 * for the machine that wrote them: numbers are in the order of its bytes.
 */
final class TableFile {
    private static final long MARK = 0x5455_5454_4954_0001L;
    private static final int END = Long.BYTES * 3;

    private TableFile() {}

    /** Writes what describes a table behind its blocks, which are in the file already. */
    static void finish(Path path, LoadedTable table) throws IOException {
        byte[] description = describe(table);
        ByteBuffer end = ByteBuffer.allocate(description.length + END);
        end.put(description).putLong(description.length).putLong(checksum(description));
        end.putLong(nativeMark()).flip();
        long at = table.store().fileBytes();
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            while (end.hasRemaining()) {
                at += file.write(end, at);
            }
        }
    }

    private static long nativeMark() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? MARK : Long.reverseBytes(MARK);
    }

    private static long checksum(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, bytes.length);
        return checksum.getValue();
    }

    private static byte[] describe(LoadedTable table) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        ColumnStore store = table.store();
        out.writeInt(store.schema().size());
        for (int i = 0; i < store.schema().size(); i++) {
            write(out, store.schema().column(i).name());
            write(out, store.schema().column(i).type().toString());
            Dictionary dictionary = store.dictionaries()[i];
            out.writeInt(dictionary.size());
            for (int code = 0; code < dictionary.size(); code++) {
                write(out, dictionary.text(code));
            }
        }
        out.writeLong(store.rows());
        out.writeLong(store.checksum());
        out.writeInt(store.blocks().length);
        for (ColumnBlock block : store.blocks()) {
            out.writeInt(block.rows());
            out.writeLong(block.place());
            out.writeInt(block.data().remaining());
            for (int start : block.starts()) {
                out.writeInt(start);
            }
        }
        out.writeLong(table.badRows());
        out.writeInt(table.notices().size());
        for (String notice : table.notices()) {
            write(out, notice);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    /**
     * Maps a table.
     *
     * @throws DataException if the file is no complete table
     * @throws java.nio.file.NoSuchFileException if it is not there
     */
    static LoadedTable map(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer end = read(path, file, file.size() - END, END);
            long length = end.getLong();
            long checksum = end.getLong();
            if (end.getLong() != nativeMark() || length < 0 || length > file.size() - END) {
                throw broken(path);
            }
            byte[] description =
                    read(path, file, file.size() - END - length, (int) length).array();
            if (checksum(description) != checksum) {
                throw broken(path);
            }
            return map(file, new DataInputStream(new ByteArrayInputStream(description)));
        }
    }

    private static DataException broken(Path path) {
        return new DataException(path + ": is no complete table: delete it, and the table is read anew");
    }

    private static ByteBuffer read(Path path, FileChannel file, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (long at = from; bytes.hasRemaining(); ) {
            int count = at < 0 ? -1 : file.read(bytes, at);
            if (count < 0) {
                throw broken(path);
            }
            at += count;
        }
        return bytes.flip();
    }

    private static LoadedTable map(FileChannel file, DataInputStream in) throws IOException {
        Schema.Column[] columns = new Schema.Column[in.readInt()];
        Dictionary[] dictionaries = new Dictionary[columns.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new Schema.Column(text(in), ColumnType.named(text(in)));
            dictionaries[i] = new Dictionary();
            int size = in.readInt();
            for (int code = 0; code < size; code++) {
                dictionaries[i].code(text(in));
            }
        }
        long rows = in.readLong();
        long checksum = in.readLong();
        ColumnBlock[] blocks = new ColumnBlock[in.readInt()];
        long bytes = 0;
        for (int i = 0; i < blocks.length; i++) {
            int count = in.readInt();
            long place = in.readLong();
            int length = in.readInt();
            int[] starts = new int[columns.length];
            for (int c = 0; c < starts.length; c++) {
                starts[c] = in.readInt();
            }
            blocks[i] = new ColumnBlock(count, file.map(FileChannel.MapMode.READ_ONLY, place, length), starts, place);
            bytes += length;
        }
        long badRows = in.readLong();
        List<String> notices = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            notices.add(text(in));
        }
        ColumnStore store =
                new ColumnStore(new Schema(List.of(columns)), rows, blocks, dictionaries, checksum, 0, bytes);
        return new LoadedTable(store, badRows, notices);
    }
}
