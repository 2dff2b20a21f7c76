package dev.tutti.metric;

/** The harmonic mean of precision and recall. */
public final class F1 extends ClassScore<F1> {
    F1() {}

    @Override
    String base() {
        return "f1";
    }

    @Override
    F1 blank() {
        return new F1();
    }

    @Override
    double score(long found, long wronglyCalled, long missed) {
        return ratio(2 * found, 2 * found + wronglyCalled + missed);
    }
}
