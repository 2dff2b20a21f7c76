package dev.tutti.metric;

import dev.tutti.array.NdArray;

/** Counts, for each class, the rows that were found, wrongly called so and missed. */
final class ClassScoreState extends NamedState {
    /** The score of one class, or of all counts together. */
    interface Score {
        double of(long found, long wronglyCalled, long missed);
    }

    private static final int FOUND = 0;
    private static final int WRONGLY_CALLED = 1;
    private static final int MISSED = 2;
    private static final int COUNTS = 3;

    private final ClassAveraging averaging;
    private final double threshold;
    private final Score score;
    /** Three counts for each class; empty until the number of classes is known. */
    private long[] counts = {};

    ClassScoreState(String metric, ClassAveraging averaging, double threshold, Score score) {
        super(metric);
        this.averaging = averaging;
        this.threshold = threshold;
        this.score = score;
    }

    @Override
    public void update(NdArray predictions, NdArray targets) {
        ClassBatch batch = ClassBatch.of(metric(), predictions, targets);
        expectClasses(batch.classes());
        int[] decided = batch.decide(threshold);
        int[] actual = batch.actual();
        for (int row = 0; row < decided.length; row++) {
            if (decided[row] == actual[row]) {
                counts[COUNTS * actual[row] + FOUND]++;
            } else {
                counts[COUNTS * actual[row] + MISSED]++;
                if (decided[row] != ClassBatch.UNDECIDED) {
                    counts[COUNTS * decided[row] + WRONGLY_CALLED]++;
                }
            }
        }
    }

    @Override
    public void merge(MetricState other) {
        ClassScoreState state = same(other, ClassScoreState.class);
        if (state.counts.length > 0) {
            expectClasses(state.counts.length / COUNTS);
            for (int i = 0; i < counts.length; i++) {
                counts[i] += state.counts[i];
            }
        }
    }

    @Override
    public double value() {
        int classes = counts.length / COUNTS;
        long[] all = new long[COUNTS];
        double sum = 0;
        int occurring = 0;
        for (int c = 0; c < classes; c++) {
            long found = counts[COUNTS * c + FOUND];
            long wronglyCalled = counts[COUNTS * c + WRONGLY_CALLED];
            long missed = counts[COUNTS * c + MISSED];
            all[FOUND] += found;
            all[WRONGLY_CALLED] += wronglyCalled;
            all[MISSED] += missed;
            if (found + wronglyCalled + missed > 0) {
                sum += score.of(found, wronglyCalled, missed);
                occurring++;
            }
        }
        if (occurring == 0) {
            return Double.NaN;
        }
        return switch (averaging) {
            case MICRO -> score.of(all[FOUND], all[WRONGLY_CALLED], all[MISSED]);
            case MACRO -> sum / occurring;
            case AUTO, BINARY -> classes == 2 ? score.of(counts[3], counts[4], counts[5]) : sum / occurring;
        };
    }

    @Override
    public NdArray snapshot() {
        return row(counts.clone());
    }

    @Override
    public void restore(NdArray snapshot) {
        long[] longs = longs(snapshot);
        if (longs.length % COUNTS != 0) {
            throw new MetricException(
                    metric(), "a snapshot holds three numbers for each class: received " + longs.length);
        }
        counts = longs.clone();
    }

    private void expectClasses(int classes) {
        if (averaging == ClassAveraging.BINARY && classes != 2) {
            throw new MetricException(
                    metric(), "binary averaging is for two classes: received " + classes + ". Use macro() or micro()");
        }
        if (counts.length == 0) {
            counts = new long[COUNTS * classes];
        } else if (counts.length != COUNTS * classes) {
            throw new MetricException(
                    metric(),
                    "all batches have the same classes: received " + classes + " after " + counts.length / COUNTS);
        }
    }
}
