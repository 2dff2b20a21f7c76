package dev.tutti.metric;

/** Of the rows that were predicted as a class, the share that is of that class. */
public final class Precision extends ClassScore<Precision> {
    Precision() {}

    @Override
    String base() {
        return "precision";
    }

    @Override
    Precision blank() {
        return new Precision();
    }

    @Override
    double score(long found, long wronglyCalled, long missed) {
        return ratio(found, found + wronglyCalled);
    }
}
