package dev.tutti.train;

import dev.tutti.data.Batch;
import dev.tutti.tensor.NdArray;
import java.util.ArrayList;
import java.util.List;

/** What this member has computed and the members have not agreed on yet: it counts when they have, or is done again. */
final class PendingResults {
    private final List<Seen> seen = new ArrayList<>();
    private int steps;

    private record Seen(StepResult result, List<NdArray> labels) {}

    void add(StepResult result, Batch batch) {
        seen.add(new Seen(result, batch.labels()));
    }

    void stepDone() {
        steps++;
    }

    /** Updates since the last agreement. */
    int steps() {
        return steps;
    }

    /** Samples of this member. */
    long samples() {
        return seen.stream().mapToLong(one -> one.result().size()).sum();
    }

    /** It was agreed on. */
    void countInto(Totals totals) {
        seen.forEach(one -> totals.addMetrics(one.result(), one.labels()));
        forget();
    }

    void forget() {
        seen.clear();
        steps = 0;
    }
}
