package dev.tutti.metric;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;

/** What the states of the built-in metrics share: the metric's name, for messages, and the checks at the door. */
abstract class NamedState implements MetricState {
    private final String metric;

    NamedState(String metric) {
        this.metric = metric;
    }

    final String metric() {
        return metric;
    }

    /** The other state, if it belongs to the same metric. */
    final <S extends NamedState> S same(MetricState other, Class<S> type) {
        if (type.isInstance(other) && type.cast(other).metric().equals(metric)) {
            return type.cast(other);
        }
        String received = other instanceof NamedState named ? named.metric() : String.valueOf(other);
        throw new IllegalArgumentException(
                "a state of " + metric + " merges with another of " + metric + ": received one of " + received);
    }

    /** The numbers of a snapshot. */
    final long[] longs(NdArray snapshot) {
        if (snapshot.type() != DType.INT64 || snapshot.shape().rank() != 1) {
            throw new MetricException(metric, "a snapshot is one row of int64: received " + snapshot);
        }
        return snapshot.longs();
    }

    /** The numbers of a snapshot that must be {@code length} long. */
    final long[] longs(NdArray snapshot, int length) {
        long[] longs = longs(snapshot);
        if (longs.length != length) {
            throw new MetricException(
                    metric,
                    "a snapshot holds " + length + " numbers: received " + longs.length
                            + ", so it is of something else");
        }
        return longs;
    }

    static NdArray row(long... longs) {
        return NdArray.of(longs, longs.length);
    }
}
