package dev.tutti.data.stage;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.data.DataException;
import dev.tutti.data.transform.NamedKind;
import dev.tutti.data.transform.SampleFilter;
import java.util.Objects;

/**
 * Drops the rows that do not pass. How many will is not known beforehand, so what follows is read from front to back.
 */
public final class FilterStage extends RowStage {
    private SampleFilter filter;

    private FilterStage() {}

    public FilterStage(SampleFilter filter) {
        this.filter = Objects.requireNonNull(filter, "filter(...) needs a filter");
    }

    @JsonProperty("filter")
    private SampleFilter written() {
        return NamedKind.require(SampleFilter.class, filter, "filter");
    }

    @Override
    boolean drops() {
        return true;
    }

    @Override
    Row apply(Row row, long epoch) {
        return filter.keep(row.sample()) ? row : null;
    }

    @Override
    public void check() {
        if (filter == null) {
            throw new DataException("a filter stage needs a 'filter'");
        }
    }

    @Override
    public String toString() {
        return "filter(" + NamedKind.label(filter) + ")";
    }
}
