package dev.tutti.comm;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures what encryption costs: two members of this JVM that sum vectors over the loopback interface, through Gloo and TLS in turn. Not a
 * test.
 */
final class NetworkRate {
    private static final int ROUNDS = 5;

    private NetworkRate() {}

    public static void main(String[] args) {
        for (int elements : new int[] {1, 400_000, 10_000_000}) {
            int calls = elements > 1_000_000 ? 10 : 200;
            try (TestingMembers plain = new TestingMembers(Kind.HIERARCHICAL, 2, Duration.ofSeconds(60));
                    TestingMembers encrypted = new TestingMembers(Kind.TLS, 2, Duration.ofSeconds(60))) {
                List<Double> gloo = new ArrayList<>();
                List<Double> tls = new ArrayList<>();
                for (int round = 0; round <= ROUNDS; round++) { // the first one warms up
                    gloo.add(millis(plain, elements, calls));
                    tls.add(millis(encrypted, elements, calls));
                }
                System.out.printf(
                        "%,d floats: Gloo %.3f ms, TLS %.3f ms for a sum%n", elements, median(gloo), median(tls));
            }
        }
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values.subList(1, values.size()));
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private static double millis(TestingMembers members, int elements, int calls) {
        long began = System.nanoTime();
        members.all(each -> {
            try (Scope scope = Scope.open()) {
                Tensor values = Tensor.zeros(Shape.of(elements), DType.FLOAT32);
                for (int i = 0; i < calls; i++) {
                    each.allReduce("values", values);
                }
                return null;
            }
        });
        return (System.nanoTime() - began) / 1e6 / calls;
    }
}
