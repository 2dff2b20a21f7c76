package dev.tutti.data.transform;

import dev.tutti.data.Sample;
import java.util.Arrays;

/** Keeps the samples of some classes. */
public final class LabelFilter implements SampleFilter {
    private long[] classes = {};

    private LabelFilter() {}

    LabelFilter(long... classes) {
        this.classes = classes.clone();
    }

    @Override
    public boolean keep(Sample sample) {
        long label = sample.label().longAt(0);
        return Arrays.stream(classes).anyMatch(wanted -> wanted == label);
    }

    @Override
    public String toString() {
        return "labels" + Arrays.toString(classes);
    }
}
