package dev.tutti.data;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Objects;

/**
 * Makes another sample of each sample by chance; the chance follows from seed, epoch and row, so that resuming
 * repeats it.
 */
final class RandomMapStage extends RowStage {
    private long seed;
    private RandomTransform transform;

    private RandomMapStage() {}

    RandomMapStage(long seed, RandomTransform transform) {
        this.seed = seed;
        this.transform = Objects.requireNonNull(transform, "map(...) needs a transform");
    }

    @JsonProperty("transform")
    private RandomTransform written() {
        return NamedKind.require(RandomTransform.class, transform, "map");
    }

    @Override
    boolean drops() {
        return false;
    }

    @Override
    boolean variesByEpoch() {
        return true;
    }

    @Override
    Row apply(Row row, long epoch) {
        RowRandom random = new RowRandom(RowRandom.seed(seed, epoch, row.number(), row.copy()));
        Sample made = transform.apply(row.sample(), random);
        return row.with(
                Objects.requireNonNull(made, "the transform returned null: drop rows with filter(...) instead"));
    }

    @Override
    void check() {
        if (transform == null) {
            throw new DataException("a random map needs a 'transform'");
        }
    }

    @Override
    public String toString() {
        return "map(" + seed + ", " + NamedKind.label(transform) + ")";
    }
}
