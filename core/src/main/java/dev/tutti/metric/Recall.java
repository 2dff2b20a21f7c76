package dev.tutti.metric;

/** Of the rows of a class, the share that was predicted as that class. */
public final class Recall extends ClassScore<Recall> {
    Recall() {}

    @Override
    String base() {
        return "recall";
    }

    @Override
    Recall blank() {
        return new Recall();
    }

    @Override
    double score(long found, long wronglyCalled, long missed) {
        return ratio(found, found + missed);
    }
}
