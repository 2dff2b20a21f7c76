package dev.tutti.metric;

/** Of what is of a class, the share that was called so. */
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
