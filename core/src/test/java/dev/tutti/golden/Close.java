package dev.tutti.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;

/** Compares arrays up to rounding. */
public final class Close {
    private Close() {}

    public static void assertClose(NdArray actual, NdArray expected, double tolerance, String what) {
        assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
        for (int i = 0; i < expected.size(); i++) {
            double scale = Math.max(1, Math.abs(expected.at(i)));
            assertThat(actual.at(i)).as(what + " at " + i).isCloseTo(expected.at(i), within(tolerance * scale));
        }
    }
}
