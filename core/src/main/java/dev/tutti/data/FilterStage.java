package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;

/**
 * Drops the rows that do not pass. How many will is not known beforehand, so what follows is read from front to back.
 */
final class FilterStage extends RowStage {
    private SampleFilter filter;

    private FilterStage() {}

    FilterStage(SampleFilter filter) {
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
    void check() {
        if (filter == null) {
            throw new DataException("a filter stage needs a 'filter'");
        }
    }

    @Override
    public String toString() {
        return "filter(" + NamedKind.label(filter) + ")";
    }
}
