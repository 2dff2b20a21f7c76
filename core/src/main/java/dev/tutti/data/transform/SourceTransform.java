package dev.tutti.data.transform;

import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.Sample;
import dev.tutti.data.source.Source;

/**
 * A transform of the source itself: columns of text and numbers, which are no arrays yet, become arrays. {@link Dataset#map}
 * puts it under the other stages, which choose rows by their number and therefore choose the same ones as before.
 */
public interface SourceTransform extends Transform {
    /**
     * The source that gives the arrays.
     *
     * @throws DataException if the source is not of the kind this transform is made for
     */
    Source applyTo(Source source);

    @Override
    default Sample apply(Sample sample) {
        throw new DataException(this + " works on a source, not on a sample: use it with Dataset.map(...)");
    }
}
