package dev.tutti.data.stage;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.data.Batch;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.BatchTransform;
import dev.tutti.data.transform.NamedKind;
import dev.tutti.data.transform.Transform;
import java.util.Objects;

/** Makes another sample of each sample. */
public final class MapStage extends RowStage {
    private Transform transform;

    private MapStage() {}

    public MapStage(Transform transform) {
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
    boolean treatsBatches() {
        return transform instanceof BatchTransform;
    }

    @Override
    Batch apply(Batch batch) {
        Batch made = ((BatchTransform) transform).apply(batch);
        if (made.size() != batch.size()) {
            throw new DataException("the transform made " + made.size() + " rows of a batch of " + batch.size());
        }
        return made;
    }

    @Override
    public void check() {
        if (transform == null) {
            throw new DataException("a map needs a 'transform'");
        }
    }

    @Override
    public String toString() {
        return "map(" + NamedKind.label(transform) + ")";
    }
}
