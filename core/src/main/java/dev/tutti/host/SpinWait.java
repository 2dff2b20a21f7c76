package dev.tutti.host;

import java.util.function.BooleanSupplier;

/**
 * Spins for a moment for what another thread is about to bring about, before the caller goes to sleep: waking a thread takes longer than
 * most such waits, and a tenth of a millisecond or more where the core has gone to sleep as well.
 */
public final class SpinWait {
    private SpinWait() {}

    /** Looks up to so many times; says whether it came true. */
    public static boolean times(int looks, BooleanSupplier done) {
        for (int i = 0; i < looks; i++) {
            if (done.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Looks for so long, at least once; says whether it came true. */
    public static boolean nanos(long nanos, BooleanSupplier done) {
        long until = System.nanoTime() + nanos;
        while (!done.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
