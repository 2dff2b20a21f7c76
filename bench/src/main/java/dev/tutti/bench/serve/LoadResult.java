package dev.tutti.bench.serve;

import java.util.Arrays;

/**
 * What a load came to.
 *
 * @param failures answers with another status than 200, and connections that broke
 * @param latencies in nanoseconds, in ascending order
 */
record LoadResult(long requests, long failures, double seconds, long[] latencies) {
    static LoadResult of(long failures, double seconds, long[] latencies, int count) {
        long[] sorted = Arrays.copyOf(latencies, count);
        Arrays.sort(sorted);
        return new LoadResult(count, failures, seconds, sorted);
    }

    double perSecond() {
        return requests / seconds;
    }

    /** Milliseconds within which this share of the answers came. */
    double millis(double share) {
        if (latencies.length == 0) {
            return Double.NaN;
        }
        return latencies[(int) Math.min(latencies.length - 1, Math.round(share * (latencies.length - 1)))] / 1e6;
    }
}
