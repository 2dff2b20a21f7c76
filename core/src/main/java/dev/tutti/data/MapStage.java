package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;

/** Makes another sample of each sample. */
final class MapStage extends RowStage {
    private Transform transform;

    private MapStage() {}

    MapStage(Transform transform) {
        this.transform = Objects.requireNonNull(transform, "map(...) needs a transform");
    }

    @JsonProperty("transform")
    private Transform written() {
        return NamedKind.require(Transform.class, transform, "map");
    }

    @Override
    boolean drops() {
        return false;
    }

    @Override
    Row apply(Row row, long epoch) {
        Sample made = transform.apply(row.sample());
        return row.with(
                Objects.requireNonNull(made, "the transform returned null: drop rows with filter(...) instead"));
    }

    @Override
    void check() {
        if (transform == null) {
            throw new DataException("a map needs a 'transform'");
        }
    }

    @Override
    public String toString() {
        return "map(" + NamedKind.label(transform) + ")";
    }
}
