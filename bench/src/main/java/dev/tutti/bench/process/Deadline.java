package dev.tutti.bench.process;

import java.time.Duration;

/** The end of a wait; it keeps the length of the wait for the message. */
record Deadline(Duration length, long end) {
    static Deadline in(Duration length) {
        return new Deadline(length, System.nanoTime() + length.toNanos());
    }

    /** What is left of it, not less than nothing. */
    long nanosLeft() {
        return Math.max(0, end - System.nanoTime());
    }

    /** Its length for people: 60 s, 0.5 s. */
    @Override
    public String toString() {
        return length.toMillis() % 1000 == 0 ? length.toSeconds() + " s" : length.toMillis() / 1000.0 + " s";
    }
}
