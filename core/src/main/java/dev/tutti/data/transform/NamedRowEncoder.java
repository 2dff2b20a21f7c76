package dev.tutti.data.transform;

import dev.tutti.data.Batch;
import java.util.List;
import java.util.Map;

/** Makes the inputs of a model of raw rows that lie in no dataset, each a value by the name of its column. */
public interface NamedRowEncoder {
    /** The columns that rows are made of, without the label. */
    List<String> inputs();

    /**
     * The inputs of the model for these rows, without labels: the same arrays that a dataset with these rows gives. A value that is
     * absent or null is missing. Any number of threads may call it.
     *
     * @throws dev.tutti.data.DataException if a value cannot be understood as its column's type; it names row, column and value
     */
    Batch features(List<? extends Map<String, ?>> rows);
}
