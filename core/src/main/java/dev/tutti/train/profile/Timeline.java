package dev.tutti.train.profile;

import dev.tutti.Experimental;
import dev.tutti.train.profile.Timing.Phase;
import java.time.Instant;
import java.util.Arrays;

/**
 * What a member was busy with, one stretch after the other, by the clock on the wall: so that those of several machines can be
 * laid side by side. It keeps the first so many stretches, which bounds its memory.
 */
@Experimental
public final class Timeline implements Timing.Listener {
    /** Some 40,000 steps, or 3 MB; viewers become slow with more. */
    static final int LIMIT = 200_000;

    private static final Phase[] PHASES = Phase.values();
    private static final int PHASE_BITS = 3;

    private final long toWall;
    private final int limit;
    private long[] stretches = new long[256]; // in turn: when it began, and how long it took beside the phase
    private int size;

    Timeline() {
        this(LIMIT);
    }

    public Timeline(int limit) {
        this.limit = limit;
        Instant now = Instant.now();
        toWall = now.getEpochSecond() * 1_000_000_000 + now.getNano() - System.nanoTime();
    }

    private Timeline(long[] stretches) {
        this.stretches = stretches;
        size = stretches.length / 2;
        limit = size;
        toWall = 0;
    }

    /** The timeline that another member gave as numbers. */
    public static Timeline of(long[] numbers) {
        return new Timeline(numbers.clone());
    }

    @Override
    public void stretch(Phase phase, long beganNanos, long endedNanos) {
        if (size == limit) {
            return;
        }
        if (2 * size == stretches.length) {
            stretches = Arrays.copyOf(stretches, 2 * stretches.length);
        }
        stretches[2 * size] = beganNanos + toWall;
        stretches[2 * size + 1] = (endedNanos - beganNanos) << PHASE_BITS | phase.ordinal();
        size++;
    }

    /** Nanoseconds since 1970, by the clock of this timeline. */
    public long now() {
        return System.nanoTime() + toWall;
    }

    /** How many stretches there are. */
    public int size() {
        return size;
    }

    /** Whether there was no room for more. */
    public boolean full() {
        return size == limit;
    }

    public Phase phase(int index) {
        return PHASES[(int) stretches[2 * index + 1] & (1 << PHASE_BITS) - 1];
    }

    /** When a stretch began, in nanoseconds since 1970. */
    public long began(int index) {
        return stretches[2 * index];
    }

    /** How long it took, in nanoseconds. */
    public long length(int index) {
        return stretches[2 * index + 1] >> PHASE_BITS;
    }

    /** All of it as numbers, to be sent. */
    public long[] numbers() {
        return Arrays.copyOf(stretches, 2 * size);
    }
}
