package dev.tutti.source.table;

import dev.tutti.DidYouMean;
import dev.tutti.data.DataException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The columns of a table, in their order; names are unique. */
public record Schema(List<Column> columns) {
    /** A column's name and what it holds. */
    public record Column(String name, ColumnType type) {
        @Override
        public String toString() {
            return name + " " + type;
        }
    }

    public Schema {
        columns = List.copyOf(columns);
        Set<String> seen = new HashSet<>();
        for (Column column : columns) {
            if (!seen.add(column.name())) {
                throw new DataException("two columns are named '" + column.name() + "': give each a name of its own");
            }
        }
    }

    public int size() {
        return columns.size();
    }

    public Column column(int index) {
        return columns.get(index);
    }

    public List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    public boolean has(String name) {
        return names().contains(name);
    }

    /**
     * The place of a column.
     *
     * @throws DataException if there is none of this name; it names the nearest
     */
    public int indexOf(String name) {
        int index = names().indexOf(name);
        if (index < 0) {
            throw new DataException("there is no column '" + name + "'" + DidYouMean.hint(name, names()));
        }
        return index;
    }

    /** These columns in this order. */
    public Schema select(List<String> names) {
        List<Column> chosen = new ArrayList<>();
        names.forEach(name -> chosen.add(column(indexOf(name))));
        return new Schema(chosen);
    }
}
