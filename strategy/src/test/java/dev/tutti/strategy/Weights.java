package dev.tutti.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.array.NdArray;
import java.util.List;
import java.util.Map;

/** What is said of weights again and again. */
public final class Weights {
    private Weights() {}

    public static void assertClose(Map<String, NdArray> actual, Map<String, NdArray> expected, double tolerance) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, array) -> {
            for (int i = 0; i < array.size(); i++) {
                assertThat(actual.get(name).at(i)).as(name).isCloseTo(array.at(i), within(tolerance));
            }
        });
    }

    /** All members have the same bits; returns them. */
    public static Map<String, NdArray> ofAll(List<Members.Result> members) {
        for (Members.Result member : members) {
            assertThat(member.weights())
                    .as("the same bits on all members")
                    .isEqualTo(members.get(0).weights());
        }
        return members.get(0).weights();
    }
}
