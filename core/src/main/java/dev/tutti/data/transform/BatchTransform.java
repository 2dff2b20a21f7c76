package dev.tutti.data.transform;

import dev.tutti.data.Batch;

/** A transform that can treat a whole batch at once, with the same result as treating each of its rows. */
public interface BatchTransform extends Transform {
    /** The batch made of this one, with as many rows in the same order; the arrays given are not written to. */
    Batch apply(Batch batch);
}
