package dev.tutti.array;

import java.util.ArrayList;
import java.util.List;

/** A stretch of a vector: {@code length} elements from {@code from} on. */
public record Range(long from, long length) {
    public Range {
        if (from < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a range begins at 0 or later and is not negative: received from " + from + ", length " + length);
        }
    }

    public static Range between(long from, long to) {
        return new Range(from, to - from);
    }

    /** The first element behind the range. */
    public long to() {
        return from + length;
    }

    public boolean isEmpty() {
        return length == 0;
    }

    public boolean contains(Range other) {
        return other.from >= from && other.to() <= to();
    }

    /** What both have in common; empty, at this range's beginning, when they do not meet. */
    public Range intersect(Range other) {
        long start = Math.max(from, other.from);
        long end = Math.min(to(), other.to());
        return end <= start ? new Range(from, 0) : between(start, end);
    }

    /** Ranges in rising order, neighbours joined. */
    public static List<Range> joined(List<Range> ranges) {
        List<Range> joined = new ArrayList<>();
        for (Range range : ranges) {
            int last = joined.size() - 1;
            if (last >= 0 && joined.get(last).to() == range.from()) {
                joined.set(last, between(joined.get(last).from(), range.to()));
            } else {
                joined.add(range);
            }
        }
        return joined;
    }

    /** Cuts the range into parts of nearly equal length; the first ones are longer by one where it does not divide. */
    public Range part(int index, int parts) {
        long base = length / parts;
        long longer = length % parts;
        long start = from + index * base + Math.min(index, longer);
        return new Range(start, base + (index < longer ? 1 : 0));
    }

    @Override
    public String toString() {
        return "[" + from + ", " + to() + ")";
    }
}
