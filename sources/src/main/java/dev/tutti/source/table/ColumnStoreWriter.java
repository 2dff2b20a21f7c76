package dev.tutti.source.table;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Takes a table from front to back and makes a {@link ColumnStore} of it.
 *
 * <p>Order of calls: values for some rows into each {@link #column}, as many for each; {@link #rowsDone}; again until the table
 * ends; then {@link #finish}.
 */
public final class ColumnStoreWriter implements AutoCloseable {
    private final Schema schema;
    private final BlockStorage storage;
    private final List<ColumnBuilder> columns;
    private final List<ColumnBlock> blocks = new ArrayList<>();
    private final CRC32C checksum = new CRC32C();
    private long rows;

    /** @param memory bytes to keep in memory; the rest goes to a temporary file */
    public ColumnStoreWriter(Schema schema, long memory) {
        this(schema, memory, ColumnBlock.ROWS + 4096);
    }

    /**
     * The same for a table whose size is about known.
     *
     * @param expected rows to make room for at the beginning
     */
    public ColumnStoreWriter(Schema schema, long memory, int expected) {
        this(schema, new BlockStorage(memory, TableCache.folder()), expected);
    }

    ColumnStoreWriter(Schema schema, BlockStorage storage) {
        this(schema, storage, ColumnBlock.ROWS + 4096);
    }

    private ColumnStoreWriter(Schema schema, BlockStorage storage, int expected) {
        this.schema = schema;
        this.storage = storage;
        this.columns = schema.columns().stream()
                .map(column -> new ColumnBuilder(column.type(), Math.max(1, expected)))
                .toList();
    }

    public Schema schema() {
        return schema;
    }

    public ColumnBuilder column(int index) {
        return columns.get(index);
    }

    /** The rows that every column has been given so far are complete. */
    public void rowsDone() {
        if (columns.isEmpty() || columns.get(0).size() < ColumnBlock.ROWS) {
            return;
        }
        int whole = columns.get(0).size() / ColumnBlock.ROWS * ColumnBlock.ROWS;
        for (int from = 0; from < whole; from += ColumnBlock.ROWS) {
            write(from, ColumnBlock.ROWS);
        }
        columns.forEach(column -> column.drop(whole));
    }

    public long rows() {
        return rows + (columns.isEmpty() ? 0 : columns.get(0).size());
    }

    /** Forgets all rows, to begin again. */
    public void restart() {
        columns.forEach(ColumnBuilder::clear);
        blocks.clear();
        storage.clear();
        checksum.reset();
        rows = 0;
    }

    private void write(int from, int count) {
        long bytes = 0;
        for (int i = 0; i < columns.size(); i++) {
            ColumnBuilder column = columns.get(i);
            if (column.size() < from + count) {
                throw new IllegalStateException("column " + schema.column(i) + " has " + column.size()
                        + " values where another has " + (from + count));
            }
            bytes += column.bytes(from, count);
        }
        ColumnBlock.Filler filler = new ColumnBlock.Filler(count, columns.size(), Math.toIntExact(bytes));
        columns.forEach(column -> column.write(from, count, filler));
        ColumnBlock block = filler.block();
        ByteBuffer data = block.data();
        checksum.update(data);
        blocks.add(storage.keep(block));
        rows += count;
    }

    /** The table as it was given. */
    public ColumnStore finish() {
        if (!columns.isEmpty() && columns.get(0).size() > 0) {
            int left = columns.get(0).size();
            write(0, left);
            columns.forEach(column -> column.drop(left));
        }
        Dictionary[] dictionaries =
                columns.stream().map(ColumnBuilder::dictionary).toArray(Dictionary[]::new);
        for (Dictionary dictionary : dictionaries) {
            IntStream.range(0, dictionary.size())
                    .mapToObj(dictionary::text)
                    .forEach(text -> checksum.update(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        }
        return new ColumnStore(
                schema,
                rows,
                blocks.toArray(ColumnBlock[]::new),
                dictionaries,
                checksum.getValue(),
                storage.memoryBytes(),
                storage.fileBytes());
    }

    @Override
    public void close() {
        storage.close();
    }
}
