package dev.tutti.data.transform;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tutti.array.NdArray;
import dev.tutti.data.DataException;
import dev.tutti.data.Sample;
import dev.tutti.json.Definition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A transform that treats arrays one by one: the features, the labels or both, or only the one at a given place. */
public abstract class ArrayTransform extends Definition implements Transform {
    /** Which arrays of a sample. */
    public enum Side {
        @JsonProperty("features")
        FEATURES,
        @JsonProperty("labels")
        LABELS,
        @JsonProperty("both")
        BOTH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private Side on;
    private Integer index;

    /** Applies to all arrays of a side unless told otherwise. */
    protected ArrayTransform(Side on) {
        this.on = on;
    }

    /** The array made of this one, which is not written to. */
    protected abstract NdArray apply(NdArray array);

    /** The same transform for the features. */
    public ArrayTransform onFeatures() {
        return on(Side.FEATURES);
    }

    /** The same transform for the labels. */
    public ArrayTransform onLabels() {
        return on(Side.LABELS);
    }

    /** The same transform for features and labels. */
    public ArrayTransform onBoth() {
        return on(Side.BOTH);
    }

    /** The same transform for one of several arrays only; they count from 0. */
    public ArrayTransform only(int place) {
        return copy((ArrayTransform c) -> c.index = place);
    }

    private ArrayTransform on(Side side) {
        return copy((ArrayTransform c) -> c.on = side);
    }

    @Override
    public final Sample apply(Sample sample) {
        List<NdArray> features = on == Side.LABELS ? sample.features() : each(sample.features());
        List<NdArray> labels = on == Side.FEATURES ? sample.labels() : each(sample.labels());
        return new Sample(features, labels);
    }

    private List<NdArray> each(List<NdArray> arrays) {
        if (index != null && (index < 0 || index >= arrays.size())) {
            throw new DataException("there is no array " + index + " among the " + on + ": there are " + arrays.size());
        }
        if (arrays.size() == 1) {
            return List.of(apply(arrays.get(0)));
        }
        List<NdArray> made = new ArrayList<>(arrays.size());
        for (int i = 0; i < arrays.size(); i++) {
            made.add(index == null || index == i ? apply(arrays.get(i)) : arrays.get(i));
        }
        return made;
    }

    @Override
    public String toString() {
        return NamedKind.decapitalised(getClass().getSimpleName());
    }
}
