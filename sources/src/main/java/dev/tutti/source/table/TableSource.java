package dev.tutti.source.table;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.tutti.data.DataException;
import dev.tutti.data.source.Source;
import dev.tutti.json.Definition;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table of named columns: files, a query, a database. It is read once from front to back, by the first reader in this JVM or, for
 * members of a job, on this machine, and from then on gives any row by its number.
 *
 * <p>Opened as it is, a table of numbers gives one float32 array of all columns but the label. Text, dates and missing values
 * need {@link dev.tutti.source.column.Columns}, which say how columns become arrays.
 */
public abstract class TableSource extends Definition implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(TableSource.class);
    private static final int SHARE_OF_HEAP = 4;

    @JsonFormat(with = JsonFormat.Feature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
    private List<String> columns;

    private Map<String, ColumnType> types = Map.of();
    private String label;
    private Long memory;
    private BadRows badRows = BadRows.fail();

    private transient LoadedTable loaded;
    private transient String loadedState;

    /** All columns there are, with the types they have by themselves. */
    protected abstract Schema inspect();

    /**
     * Reads the table from front to back, in an order that is the same whenever the content is the same.
     *
     * @param schema the columns that are wanted, with the types they must have
     */
    protected abstract void read(Schema schema, ColumnStoreWriter into, BadRowLog bad);

    /**
     * What differs when the content may have changed, such as sizes and times of files; cheap to ask for. Empty where that cannot be
     * told: then no other JVM's reading is used.
     */
    protected abstract String state();

    /** Refuses content that was changed since {@link #state} was asked before. */
    protected abstract void requireUnchanged(String before);

    /** These columns only. */
    public TableSource columns(List<String> names) {
        return changed(this, source -> source.columns = List.copyOf(names));
    }

    /** Columns read as other types than they seem to have: {@code zip} as text, for instance. */
    public TableSource types(Map<String, ColumnType> choice) {
        return changed(this, source -> source.types = Map.copyOf(choice));
    }

    /** The column to learn, of a table of numbers that is opened as it is. */
    public TableSource label(String column) {
        return changed(this, source -> source.label = column);
    }

    /** Bytes of the table to keep in memory, a quarter of the greatest heap by default; the rest lies in a temporary file. */
    public TableSource memory(long bytes) {
        return changed(this, source -> source.memory = bytes);
    }

    /** What is done about rows that cannot be read. */
    public TableSource badRows(BadRows policy) {
        return changed(this, source -> source.badRows = policy);
    }

    /** A change to a copy. */
    protected interface Change<T> {
        void apply(T source);
    }

    /** A copy of a source with a change, which has read nothing yet. */
    protected static <T extends TableSource> T changed(T source, Change<? super T> change) {
        return source.copy((T copy) -> {
            ((TableSource) copy).loaded = null;
            change.apply(copy);
        });
    }

    /** A new account of bad rows by this source's policy. */
    public final BadRowLog newBadRowLog() {
        return new BadRowLog(badRows, toString());
    }

    /** The names of all columns there are. */
    protected List<String> names() {
        return inspectedSchema().names();
    }

    /** The names of all columns, chosen or not; where types are not asked for it may be quicker than {@link #schema}. */
    public final List<String> allColumns() {
        return List.copyOf(names());
    }

    /** The columns of this table, with the types they are read as. */
    public final Schema schema() {
        if (columns != null && types.keySet().containsAll(columns) && names().containsAll(columns)) {
            return new Schema(columns.stream()
                    .map(name -> new Schema.Column(name, types.get(name)))
                    .toList());
        }
        Schema found = inspectedSchema();
        types.keySet().forEach(found::indexOf);
        List<Schema.Column> chosen = new ArrayList<>();
        for (Schema.Column column : found.columns()) {
            chosen.add(new Schema.Column(column.name(), types.getOrDefault(column.name(), column.type())));
        }
        Schema typed = new Schema(chosen);
        return columns == null ? typed : typed.select(columns);
    }

    private Schema inspectedSchema() {
        String key = getClass().getName() + Json.write(inspected());
        return SharedCache.get(Schema.class, key, state(), this::inspect);
    }

    /** This source without what was chosen from it: what there is to choose from is found out once. */
    private TableSource inspected() {
        return changed(this, source -> {
            source.columns = null;
            source.types = Map.of();
            source.label = null;
        });
    }

    /** The table in this JVM's memory, read now unless it was read before. */
    public final synchronized LoadedTable load() {
        String state = state();
        if (loaded == null || !state.equals(loadedState)) {
            loaded = null;
            String key = getClass().getName() + Json.write(this);
            loaded = SharedCache.get(LoadedTable.class, key, state, () -> readShared(state));
            loadedState = state;
        }
        return loaded;
    }

    private LoadedTable readShared(String state) {
        Optional<TableCache> cache = TableCache.inUse();
        if (cache.isPresent() && !state.isEmpty()) {
            String definition = getClass().getName() + Json.write(this);
            return cache.get().get(definition, state, storage -> readInto(storage, state));
        }
        return readInto(new BlockStorage(memoryBytes(), TableCache.folder()), state);
    }

    /** Bytes of memory this table may take; reading it takes about as much again at most. */
    protected final long memoryBytes() {
        return memory == null ? Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP : memory;
    }

    private LoadedTable readInto(BlockStorage storage, String state) {
        long began = System.nanoTime();
        Schema schema = schema();
        BadRowLog bad = newBadRowLog();
        try (ColumnStoreWriter writer = new ColumnStoreWriter(schema, storage)) {
            read(schema, writer, bad);
            requireUnchanged(state);
            ColumnStore store = writer.finish();
            LOG.debug(
                    "Read {} rows of {} columns from {} in {} s",
                    store.rows(),
                    schema.size(),
                    this,
                    Math.round((System.nanoTime() - began) / 1e6) / 1000.0);
            return new LoadedTable(store, bad.count(), bad.finish());
        }
    }

    /** The table read as these columns with these types, in place of earlier choices. */
    public final TableSource reading(Map<String, ColumnType> wanted) {
        Map<String, ColumnType> all = new LinkedHashMap<>(types);
        all.putAll(wanted);
        return columns(List.copyOf(wanted.keySet())).types(all);
    }

    @Override
    public final OptionalLong size() {
        return OptionalLong.of(load().store().rows());
    }

    @Override
    public final String fingerprint() {
        return load().store().fingerprint();
    }

    @Override
    public final List<String> notices() {
        return load().notices();
    }

    @Override
    public final Rows open() {
        ColumnStore store = load().store();
        if (store.rows() == 0) {
            throw new DataException("the dataset is empty: " + this + " has no rows");
        }
        return new NumberTableRows(store, label, toString());
    }
}
