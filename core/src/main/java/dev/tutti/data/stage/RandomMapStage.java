package dev.tutti.data.stage;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.data.DataException;
import dev.tutti.data.RowRandom;
import dev.tutti.data.Sample;
import dev.tutti.data.transform.NamedKind;
import dev.tutti.data.transform.RandomTransform;
import java.util.Objects;

/**
 * Makes another sample of each sample by chance; the chance follows from seed, epoch and row, so that resuming
 * repeats it.
 */
public final class RandomMapStage extends RowStage {
    private long seed;
    private RandomTransform transform;

    private RandomMapStage() {}

    public RandomMapStage(long seed, RandomTransform transform) {
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
    public boolean variesByEpoch() {
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
    public void check() {
        if (transform == null) {
            throw new DataException("a random map needs a 'transform'");
        }
    }

    @Override
    public String toString() {
        return "map(" + seed + ", " + NamedKind.label(transform) + ")";
    }
}
