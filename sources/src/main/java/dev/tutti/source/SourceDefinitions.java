package dev.tutti.source;

import dev.tutti.json.Definitions;
import dev.tutti.source.column.Columns;
import dev.tutti.source.column.EncodedSource;
import dev.tutti.source.combined.ConcatSource;
import dev.tutti.source.combined.InterleaveSource;
import dev.tutti.source.combined.KeptRowsSource;
import dev.tutti.source.combined.ZipSource;
import dev.tutti.source.duckdb.CsvSource;
import dev.tutti.source.duckdb.JsonLinesSource;
import dev.tutti.source.duckdb.ParquetSource;
import dev.tutti.source.duckdb.SqlSource;
import dev.tutti.source.image.ImageSource;
import dev.tutti.source.jdbc.JdbcSource;
import dev.tutti.source.numpy.NumpySource;
import dev.tutti.source.record.TfRecordSource;
import dev.tutti.source.text.TextSource;
import java.util.LinkedHashMap;
import java.util.Map;

/** The names sources and columns have in files. */
public final class SourceDefinitions implements Definitions {
    @Override
    public Map<Class<?>, String> named() {
        Map<Class<?>, String> names = new LinkedHashMap<>();
        names.put(CsvSource.class, "csv");
        names.put(ParquetSource.class, "parquet");
        names.put(JsonLinesSource.class, "jsonLines");
        names.put(SqlSource.class, "sql");
        names.put(JdbcSource.class, "jdbc");
        names.put(TfRecordSource.class, "tfRecord");
        names.put(NumpySource.class, "numpy");
        names.put(ImageSource.class, "images");
        names.put(TextSource.class, "text");
        names.put(ZipSource.class, "zip");
        names.put(ConcatSource.class, "concat");
        names.put(InterleaveSource.class, "interleave");
        names.put(KeptRowsSource.class, "rows");
        names.put(Columns.class, "columns");
        names.put(EncodedSource.class, "encoded");
        return names;
    }
}
